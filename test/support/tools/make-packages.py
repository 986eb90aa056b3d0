"""A package for npm and one for pip, as small as they can be."""
import base64, hashlib, io, json, tarfile, zipfile

def member(tar, name, text):
    info = tarfile.TarInfo(name)
    info.size = len(text)
    tar.addfile(info, io.BytesIO(text.encode()))

with tarfile.open('tiny-package-1.0.0.tgz', 'w:gz') as tar:
    member(tar, 'package/package.json', json.dumps({'name': 'tiny-package', 'version': '1.0.0'}))
integrity = hashlib.sha512(open('tiny-package-1.0.0.tgz', 'rb').read()).digest()
open('tiny-package.integrity', 'w').write('sha512-' + base64.b64encode(integrity).decode())

info = 'tinywheel-1.0.0.dist-info'
with zipfile.ZipFile('tinywheel-1.0.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('tinywheel.py', 'hello = 1\n')
    wheel.writestr(f'{info}/METADATA', 'Metadata-Version: 2.1\nName: tinywheel\nVersion: 1.0.0\n')
    wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
    wheel.writestr(f'{info}/RECORD', '')
