import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

import { PROGRAM } from '../support/e2e/editor.ts'
import { debianImage } from '../support/e2e/root-image.ts'
import { World } from '../support/e2e/world.ts'

type Case = {
  language: string
  packages: string[]
  files: Record<string, string>
  command: string
  says: string
}

const CASES: Case[] = [
  {
    language: 'Python',
    packages: ['python3'],
    files: {
      'sums.py': 'def add(a, b):\n    return a + b\n',
      'test_sums.py':
        'import unittest\nfrom sums import add\n\n\nclass Sums(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n',
    },
    command: 'python3 -m unittest -v',
    says: 'OK',
  },
  {
    language: 'Go',
    packages: ['golang-go'],
    files: {
      'go.mod': 'module sums\n\ngo 1.19\n',
      'sums.go': 'package sums\n\nfunc Add(a, b int) int { return a + b }\n',
      'sums_test.go':
        'package sums\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    command: 'go build ./... && go test ./...',
    says: 'ok',
  },
  {
    language: 'Rust',
    packages: ['cargo', 'gcc', 'libc6-dev'],
    files: {
      'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs':
        'pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 3), 5);\n}\n',
    },
    command: 'cargo build --offline && cargo test --offline',
    says: 'test result: ok. 1 passed',
  },
]

describe('a project with a toolchain of its own', () => {
  it.for(CASES)(
    'in $language builds and tests inside, in an image of Debian packages',
    async (one) => {
      await using world = await World.open()
      const tag = `glovebox-test/toolchain-${one.language.toLowerCase()}:1`
      const image = await debianImage(world.engine, tag, one.packages)
      const env = { ...world.env, XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] }
      await promisify(execFile)(process.execPath, [PROGRAM, 'build', 'bundled', '--image', image], {
        env,
      })
      for (const [path, text] of Object.entries(one.files)) {
        await mkdir(join(world.project, dirname(path)), { recursive: true })
        await writeFile(join(world.project, path), text)
      }
      await world.own()
      await using editor = world.editor({ args: ['--image', image] })
      const session = await editor.open(world.project)
      await editor.prompt(
        session,
        `demo: run { ${one.command}; } > out.txt 2>&1; echo "exit $?" >> out.txt`,
        150_000,
      )
      const said = await world.read('out.txt')
      expect(said).toContain(one.says)
      expect(said).toMatch(/exit 0\n$/)
    },
  )
})
