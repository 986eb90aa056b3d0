/**
 * Gathers what an agent needs to run on another image: `node carry.mjs FOLDER`, as root, inside an
 * agent's image. FOLDER then holds the files of Glovebox and of the agent, and a C library of their
 * own, so that the other image may have an older one, or none.
 *
 * The programs find that library because the path of their loader is replaced in place, and the
 * loader finds it because the folders it searches are. Nothing moves inside the files: programs that
 * carry their own data at the end, as Bun's do, stay whole. Programs of the other image are not
 * touched and see nothing of this.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

const LOADERS = {
  x64: { path: '/lib64/ld-linux-x86-64.so.2', folder: '/lib/x86_64-linux-gnu/' },
  arm64: { path: '/lib/ld-linux-aarch64.so.1', folder: '/lib/aarch64-linux-gnu/' },
}
const OWN = '/opt/glovebox'
const LIBRARIES = `${OWN}/lib/`
const LOADER = `${LIBRARIES}ld.so`
/** Loaded by name at run time, so that no program lists it. */
const HIDDEN = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2']

const root = process.argv[2]
const loader = LOADERS[process.arch]
if (root === undefined || loader === undefined) throw new Error('usage: node carry.mjs FOLDER')

for (const folder of ['/opt/agent', OWN, '/etc/codex', '/etc/claude-code']) {
  if (existsSync(folder)) cpSync(folder, root + folder, { recursive: true, verbatimSymlinks: true })
}
mkdirSync(`${root}${OWN}/bin`)
mkdirSync(root + LIBRARIES)
put(process.execPath, `${OWN}/bin/node`)
put('/usr/bin/tini-static', `${OWN}/bin/tini`)
put('/usr/bin/rg', `${OWN}/bin/rg`)
if (existsSync('/usr/local/bin/bwrap')) put('/usr/local/bin/bwrap', `${OWN}/bin/bwrap`)

const programs = [...filesOf(root)].filter((file) => isProgram(file))
const libraries = new Set(programs.flatMap((file) => librariesOf(file)))
const system = dirname(realpathSync(loader.path))
for (const name of HIDDEN) if (existsSync(join(system, name))) libraries.add(join(system, name))
for (const path of libraries) put(realpathSync(path), LIBRARIES + basename(path))
put(realpathSync(loader.path), LOADER)
replace(root + LOADER, loader.folder, LIBRARIES, '/')
replace(root + LOADER, '/etc/ld.so.cache', `${OWN}/no`, '/')
for (const file of programs) replace(file, loader.path, LOADER, '\0')
chmodSync(`${root}${OWN}/init-node`, 0o111)

// A user without an entry in passwd makes os.userInfo() throw; the proxy's volume has one.
mkdirSync(`${root}/etc`, { recursive: true })
for (const name of ['passwd', 'group']) {
  symlinkSync(`/run/glovebox/${name}`, `${root}/etc/${name}`)
}
// A tmpfs takes the mode of the folder that it covers.
for (const folder of ['/home/agent', '/var/lib/agent', '/tmp']) {
  mkdirSync(root + folder, { recursive: true })
  chmodSync(root + folder, 0o1777)
}
// A project below the host's /root is mounted there and owned by another user.
mkdirSync(`${root}/root`, { mode: 0o755 })

function put(from, to) {
  copyFileSync(from, root + to)
  chmodSync(root + to, statSync(from).mode & 0o777)
}

function* filesOf(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesOf(path)
    else if (entry.isFile()) yield path
  }
}

/** A program that is loaded by the C library's loader: a static one names none. */
function isProgram(file) {
  if ((statSync(file).mode & 0o111) === 0) return false
  const bytes = readFileSync(file)
  return (
    bytes.subarray(0, 4).toString('latin1') === '\x7FELF' && interpreterOf(bytes) === loader.path
  )
}

/** Of a 64-bit little-endian ELF file: the program header of type 3. */
function interpreterOf(bytes) {
  const [table, size, count] = [
    Number(bytes.readBigUInt64LE(32)),
    bytes.readUInt16LE(54),
    bytes.readUInt16LE(56),
  ]
  for (let index = 0; index < count; index += 1) {
    const header = table + index * size
    if (bytes.readUInt32LE(header) !== 3) continue
    const start = Number(bytes.readBigUInt64LE(header + 8))
    const length = Number(bytes.readBigUInt64LE(header + 32))
    return bytes.subarray(start, start + length - 1).toString('latin1')
  }
  return undefined
}

/** `ldd` prints `name => path (address)`. */
function librariesOf(file) {
  const lines = execFileSync('ldd', [file], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => /=> (\/\S+)/.exec(line)?.[1] ?? [])
}

/** Writes another text over every place of a text, filled up to the same length. */
function replace(file, from, to, filler) {
  const bytes = readFileSync(file)
  const mode = statSync(file).mode & 0o777
  const text = Buffer.from(to.padEnd(from.length, filler), 'latin1')
  if (text.length !== from.length) throw new Error(`${to} is longer than ${from}`)
  let found = 0
  for (
    let at = bytes.indexOf(from, 0, 'latin1');
    at !== -1;
    at = bytes.indexOf(from, at + 1, 'latin1')
  ) {
    text.copy(bytes, at)
    found += 1
  }
  if (found === 0) throw new Error(`${file} does not name ${from}`)
  chmodSync(file, 0o600)
  writeFileSync(file, bytes)
  chmodSync(file, mode)
}
