import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { loadPolicy } from '../../../src/policy/load.ts'
import { scratchFolder } from '../../support/scratch.ts'

/** The three files below one folder; a string is written as it is. */
function write(folder: string, files: { admin?: unknown; user?: unknown; project?: unknown }) {
  const paths = {
    adminPolicy: join(folder, 'policy.json'),
    userConfig: join(folder, 'config.json'),
  }
  const project = join(folder, 'project')
  mkdirSync(project, { recursive: true })
  const places = [
    [paths.adminPolicy, files.admin],
    [paths.userConfig, files.user],
    [join(project, '.glovebox.json'), files.project],
  ] as const
  for (const [path, content] of places) {
    if (content === undefined) continue
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(path, text, { mode: 0o644 })
  }
  return { paths, project, load: () => loadPolicy(paths, project) }
}

const invalid = (...parts: string[]) =>
  expect.objectContaining({
    code: 'config_invalid',
    message: expect.stringMatching(new RegExp(parts.map((part) => RegExp.escape(part)).join('.*'))),
  })

test('no file at all gives the defaults, with and without a project', async () => {
  await using scratch = await scratchFolder()
  const { paths, load } = write(scratch.path, {})
  expect(load()).toEqual(loadPolicy(paths, undefined))
  expect(load().agent).toBe('bundled')
})

test('the three files are read and merged', async () => {
  await using scratch = await scratchFolder()
  const { load } = write(scratch.path, {
    admin: { version: 1, limits: { cpus: 3 } },
    user: { $schema: './policy.schema.json', version: 1, agent: 'claude' },
    project: { version: 1, limits: { pids: 100 } },
  })
  expect(load()).toMatchObject({ agent: 'claude', limits: { cpus: 3, pids: 100 } })
})

const RULE = { id: 'r', host: 'a.test', ports: [443], protocol: 'tls' }
const withRule = (more: object) => ({ version: 1, egress: { rules: [{ ...RULE, ...more }] } })
const withProvider = (more: object) => ({ version: 1, providers: { p: more } })
const ROUTE = { preset: 'openai', base_url: 'https://llm.test' }

test.for([
  ['an unknown key', { version: 1, agnet: 'x' }, 'unknown key "agnet" at the top'],
  ['an unknown key deep inside', withRule({ hots: 'x' }), 'unknown key "hots" in egress.rules.0'],
  ['a missing version', {}, 'version: expected 1'],
  ['another version', { version: 2 }, 'version: expected 1'],
  ['a wrong type', { version: 1, limits: { cpus: 'four' } }, 'limits.cpus: expected number'],
  ['no object', [], 'the file: expected object'],
  ['a host of everything', withRule({ host: '*' }), 'egress.rules.0.host: a host name'],
  ['a whole top-level domain', withRule({ host: '*.com' }), 'egress.rules.0.host: a narrower'],
  ['a public suffix', withRule({ host: '*.co.uk' }), 'egress.rules.0.host: a narrower name'],
  ['a hosting service', withRule({ host: '*.github.io' }), 'egress.rules.0.host: a narrower name'],
  ['no ports', withRule({ ports: [] }), 'egress.rules.0.ports: '],
  [
    'a bad range',
    withRule({ allow_private: ['10/8'] }),
    'allow_private.0: expected an address range',
  ],
  [
    'an id used twice',
    { version: 1, egress: { rules: [RULE, RULE] } },
    'egress.rules: rules whose ids differ',
  ],
  [
    'a provider without preset',
    withProvider({ base_url: 'https://a.test' }),
    'providers.p.preset: ',
  ],
  ['a provider without URL', withProvider({ preset: 'openai' }), 'providers.p.base_url: expected'],
  [
    'a key sent without encryption',
    withProvider({ ...ROUTE, base_url: 'HTTP://llm.test', key_env: 'K' }),
    'providers.p.base_url: expected https, since a key is sent there (or set insecure_http)',
  ],
  [
    'a URL with a password',
    withProvider({ ...ROUTE, base_url: 'https://u:p@llm.test' }),
    'providers.p.base_url: a URL without user name and password',
  ],
  [
    'a URL with a query',
    withProvider({ ...ROUTE, base_url: 'https://llm.test?key=1' }),
    'providers.p.base_url: a URL without query',
  ],
  [
    'a URL of another kind',
    withProvider({ ...ROUTE, base_url: 'ftp://llm.test' }),
    'providers.p.base_url: an http or https URL',
  ],
  [
    'a relative key file',
    withProvider({ ...ROUTE, key_file: 'key' }),
    'providers.p.key_file: an absolute path',
  ],
  [
    'a provider nobody defined',
    { version: 1, provider: 'q' },
    'provider: expected one of anthropic, openai',
  ],
  ['a prototype as a key', '{"version":1,"__proto__":{"agent":"x"}}', 'unknown key "__proto__"'],
] as const)('the user file with %s is refused', async ([_name, user, message]) => {
  await using scratch = await scratchFolder()
  const { load, paths } = write(scratch.path, { user })
  expect(load).toThrow(
    invalid(`The configuration file ${paths.userConfig} is not valid: `, message),
  )
})

test.for([
  ['admin', { agent: 'x' }, '"agent"'],
  ['admin', { model: 'x' }, '"model"'],
  ['admin', { provider: 'openai' }, '"provider"'],
  ['admin', { providers: { openai: { key_env: 'K' } } }, '"key_env" in providers.openai'],
  ['admin', { providers: { openai: { key_file: '/k' } } }, '"key_file" in providers.openai'],
  ['project', { agent: 'x' }, '"agent"'],
  ['project', { model: 'x' }, '"model"'],
  ['project', { provider: 'openai' }, '"provider"'],
  ['project', { providers: {} }, '"providers"'],
  ['project', { egress: { networks: [] } }, '"networks" in egress'],
] as const)('the %s file may not carry %j', async ([layer, content, message]) => {
  await using scratch = await scratchFolder()
  const { load } = write(scratch.path, { [layer]: { version: 1, ...content } })
  expect(load).toThrow(invalid(layer === 'admin' ? 'policy.json' : '.glovebox.json', message))
})

test('what is no JSON is refused with its place and without its text', async () => {
  await using scratch = await scratchFolder()
  const { load } = write(scratch.path, { project: 'hunter2 is my password' })
  expect(load).toThrow(invalid('.glovebox.json', 'it is not JSON'))
  expect(load).not.toThrow(/hunter2/)
  const { load: again } = write(scratch.path, { project: '{"version":1,\n  x' })
  expect(again).toThrow(invalid('it is not JSON at line 2 column 3'))
})

test('a project file that is a symlink is refused, a user file may be one', async () => {
  await using scratch = await scratchFolder()
  const { load, paths, project } = write(scratch.path, {})
  const target = join(scratch.path, 'elsewhere.json')
  writeFileSync(target, '{"version":1,"agents":[]}')
  symlinkSync(target, paths.userConfig)
  expect(load().agents).toEqual([])
  symlinkSync(target, join(project, '.glovebox.json'))
  expect(load).toThrow(invalid('.glovebox.json', 'it is a symlink'))
})

test('a named pipe, a folder and a huge file are refused at once', async () => {
  await using scratch = await scratchFolder()
  const { load, paths, project } = write(scratch.path, {})
  execFileSync('mkfifo', [join(project, '.glovebox.json')])
  expect(load).toThrow(invalid('.glovebox.json', 'it is not a file'))
  mkdirSync(paths.userConfig)
  expect(load).toThrow(invalid('config.json', 'it is not a file'))
  writeFileSync(paths.adminPolicy, ' '.repeat(1024 * 1024 + 1))
  expect(load).toThrow(invalid('policy.json', 'larger than 1024 KiB'))
})

test.for([
  ['adminPolicy', '664', 'its group can write it (chmod go-w)'],
  ['adminPolicy', '646', 'everybody can write it (chmod go-w)'],
  ['userConfig', '666', 'everybody can write it (chmod o-w)'],
] as const)('the file %s of mode %s is refused', async ([file, mode, message]) => {
  await using scratch = await scratchFolder()
  const { load, paths } = write(scratch.path, { admin: { version: 1 }, user: { version: 1 } })
  chmodSync(paths[file], Number.parseInt(mode, 8))
  expect(load).toThrow(invalid(message))
})

test('a user file that its group can write is taken, as a umask of 002 makes it', async () => {
  await using scratch = await scratchFolder()
  const { load, paths } = write(scratch.path, { user: { version: 1, agent: 'claude' } })
  chmodSync(paths.userConfig, 0o664)
  expect(load().agent).toBe('claude')
})
