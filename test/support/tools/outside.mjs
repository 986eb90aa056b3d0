import { spawn } from 'node:child_process'
/**
 * What lies outside, under two names: HTTP, HTTPS and WebSocket, a git repository, an npm registry,
 * a Python index, and ssh. Prints each request: `GET https tools.test/path`.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync, mkdirSync, chmodSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { join, normalize } from 'node:path'
import { createSecureContext } from 'node:tls'

const HERE = '/opt/outside'
const print = (line) => process.stdout.write(`${line}\n`)
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const secrets = JSON.parse(readFileSync('/srv/outside/secrets.json', 'utf8'))

function serve(request, response) {
  const { host } = request.headers
  print(`${request.method} ${request.socket.encrypted ? 'https' : 'http'} ${host}${request.url}`)
  const path = request.url.split('?')[0]
  const [status, body] = answerTo(path, `https://${host}`)
  if (path.startsWith('/simple/')) response.setHeader('content-type', 'text/html')
  response.writeHead(status).end(body)
}

const WHEEL = 'tinywheel-1.0.0-py3-none-any.whl'

function answerTo(path, url) {
  if (path === '/tiny-package') return [200, JSON.stringify(metadata(url))]
  if (path.endsWith('.tgz')) return [200, readFileSync(join(HERE, 'tiny-package-1.0.0.tgz'))]
  if (path === '/simple/tinywheel/') return [200, `<a href="/files/${WHEEL}">${WHEEL}</a>`]
  if (path.endsWith('.whl')) return [200, readFileSync(join(HERE, WHEEL))]
  if (!path.startsWith('/repository.git/')) return [200, 'hello from outside']
  const file = join(HERE, normalize(path))
  return existsSync(file) ? [200, readFileSync(file)] : [404, '']
}

function metadata(url) {
  const integrity = readFileSync(join(HERE, 'tiny-package.integrity'), 'utf8')
  const dist = { tarball: `${url}/tiny-package/-/tiny-package-1.0.0.tgz`, integrity }
  const version = { name: 'tiny-package', version: '1.0.0', dist }
  return { name: 'tiny-package', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }
}

function upgrade(request, socket) {
  print(`UPGRADE ${request.headers.host}${request.url}`)
  const accept = createHash('sha1')
    .update(request.headers['sec-websocket-key'] + GUID)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  socket.on('error', () => undefined)
}

const contexts = Object.fromEntries(
  Object.entries(secrets.certificates).map(([name, pair]) => [name, createSecureContext(pair)]),
)
const SNICallback = (name, callback) => callback(null, contexts[name])
http.createServer(serve).on('upgrade', upgrade).listen(80)
https.createServer({ SNICallback }, serve).on('upgrade', upgrade).listen(443)

mkdirSync('/run/sshd', { recursive: true })
mkdirSync('/run/glovebox', { recursive: true })
mkdirSync('/root/.ssh', { recursive: true, mode: 0o700 })
writeFileSync(
  '/run/glovebox/passwd',
  'root:x:0:0:root:/root:/bin/sh\nsshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n',
)
writeFileSync('/run/glovebox/group', 'root:x:0:\nnogroup:x:65534:\n')
writeFileSync('/root/.ssh/authorized_keys', secrets.userPublic, { mode: 0o600 })
writeFileSync('/root/host-key', secrets.hostKey, { mode: 0o600 })
chmodSync('/root', 0o700)
const sshd = ['-D', '-e', '-f', '/dev/null', '-p', '22', '-h', '/root/host-key']
spawn(
  '/usr/sbin/sshd',
  [...sshd, '-o', 'UsePAM=no', '-o', 'StrictModes=no', '-o', 'PermitRootLogin=yes'],
  { stdio: ['ignore', 1, 1] },
)
print('READY')
