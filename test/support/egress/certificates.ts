/** A certificate authority made for one test run, with the `openssl` program. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type TestCertificate = { key: string; cert: string }

export type TestAuthority = Disposable & {
  /** PEM of the authority. */
  ca: string
  issue: (name: string, options?: { days?: number }) => TestCertificate
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

export function createAuthority(): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'glovebox-ca-'))
  const openssl = (line: string) =>
    execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' })
  const key = KEY.join(' ')
  openssl(`req -x509 ${key} -keyout ca.key -out ca.pem -subj /CN=Test-CA -days 2`)
  let count = 0
  return {
    ca: readFileSync(join(folder, 'ca.pem'), 'utf8'),
    issue(name, { days = 2 } = {}) {
      count += 1
      const file = `leaf${count}`
      writeFileSync(join(folder, `${file}.ext`), `subjectAltName=DNS:${name}\n`)
      openssl(`req ${key} -keyout ${file}.key -out ${file}.csr -subj /CN=${name}`)
      const signed = `-CA ca.pem -CAkey ca.key -CAcreateserial -extfile ${file}.ext`
      openssl(`x509 -req -in ${file}.csr ${signed} -days ${days} -out ${file}.pem`)
      const read = (suffix: string) => readFileSync(join(folder, `${file}.${suffix}`), 'utf8')
      return { key: read('key'), cert: read('pem') }
    },
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
