import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { DEFAULTS } from '../../src/policy/defaults.ts'
import { UserConfig } from '../../src/policy/schema.ts'

const root = join(import.meta.dirname, '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

describe('the README', () => {
  it('shows a configuration that is valid', () => {
    const blocks = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text)
    const configurations = blocks.filter((text) => text.includes('"version"'))
    expect(configurations).toHaveLength(1)
    expect(UserConfig.parse(JSON.parse(configurations[0] ?? '')).egress?.rules).toHaveLength(1)
  })

  it('tells the limits as they are', () => {
    const { memory_mb, cpus, pids, tmp_mb, home_mb } = DEFAULTS.limits
    expect({ memory_mb, cpus, pids, tmp_mb, home_mb }).toEqual({
      memory_mb: 4096,
      cpus: 4,
      pids: 1024,
      tmp_mb: 1024,
      home_mb: 1024,
    })
    expect(readme).toContain('4 GiB of memory, 4 CPUs, 1,024\nprocesses, 1 GiB each')
  })

  it('names scripts, commands and files that exist', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    )
    const named = [...readme.matchAll(/npm (?:run )?([a-z][a-z:]*)/g)].map(([, name = '']) => name)
    const own = named.filter((name) => name !== 'install')
    expect(own.filter((name) => scripts[name] === undefined)).toEqual([])
    const cli = readFileSync(join(root, 'src', 'cli.ts'), 'utf8')
    const commands = [...readme.matchAll(/`?glovebox ([a-z]+)\b/g)].map(([, name = '']) => name)
    expect(new Set(commands).size).toBeGreaterThan(4)
    expect(commands.filter((name) => !cli.includes(`  ${name}: {`))).toEqual([])
    const links = [...readme.matchAll(/\]\(([^)h][^)]*)\)/g)].map(([, path = '']) => path)
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('begins with the two commands', () => {
    expect(readme).toContain('npm run demo ')
    expect(readme).toContain('npm test ')
  })
})
