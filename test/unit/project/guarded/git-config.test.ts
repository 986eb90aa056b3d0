import { describe, expect, it, test } from 'vitest'

import { dangerousChanges, parseConfig } from '../../../../src/project/guarded/git-config.ts'

const BASE =
  '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote "origin"]\n\turl = https://x.test/a\n'

describe('a change of a repository’s configuration', () => {
  it.for([
    ['[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n'],
    ['[remote "fork"]\n\turl = git@x.test:a/b\n\tfetch = +refs/heads/*:refs/remotes/fork/*\n'],
    ['[remote "local"]\n\turl = ../other\n'],
    ['[user]\n\tname = "A B"\n\temail = a@b.test\n'],
    ['[core]\n\tfilemode = true\n'],
    ['[submodule "s"]\n\tactive = true\n\turl = https://x.test/s\n'],
    ['# a comment\n\n'],
  ])('is harmless: %j', ([added = '']) => {
    expect(dangerousChanges(BASE, BASE + added)).toEqual([])
  })

  it.for([
    ['[core]\n\tfsmonitor = ./x\n', 'core.fsmonitor'],
    ['[CORE]\n\tFsMonitor = ./x\n', 'core.fsmonitor'],
    ['[core]\n\thooksPath = h\n', 'core.hookspath'],
    ['[core]\n\tsshCommand = x\n', 'core.sshcommand'],
    ['[core]\n\tpager = x\n', 'core.pager'],
    ['[core]\n\teditor = x\n', 'core.editor'],
    ['[core]\n\tworktree = /\n', 'core.worktree'],
    ['[core]\n\tgitProxy = x\n', 'core.gitproxy'],
    ['[core]\n\taskPass = x\n', 'core.askpass'],
    ['[core]\n\tattributesFile = x\n', 'core.attributesfile'],
    ['[include]\n\tpath = /x\n', 'include.path'],
    ['[includeIf "gitdir:/"]\n\tpath = x\n', 'includeif.gitdir:/.path'],
    ['[filter "x"]\n\tclean = x\n', 'filter.x.clean'],
    ['[diff "x"]\n\ttextconv = x\n', 'diff.x.textconv'],
    ['[diff]\n\texternal = x\n', 'diff.external'],
    ['[merge "x"]\n\tdriver = x\n', 'merge.x.driver'],
    ['[alias]\n\tst = !x\n', 'alias.st'],
    ['[credential]\n\thelper = !x\n', 'credential.helper'],
    ['[gpg]\n\tprogram = x\n', 'gpg.program'],
    ['[sequence]\n\teditor = x\n', 'sequence.editor'],
    ['[extensions]\n\tworktreeConfig = true\n', 'extensions.worktreeconfig'],
    ['[url "ext::sh -c x"]\n\tinsteadOf = https://\n', 'url.ext::sh -c x.insteadof'],
    ['[remote "e"]\n\turl = ext::sh -c x\n', 'remote.e.url'],
    ['[remote "e"]\n\turl = --upload-pack=x\n', 'remote.e.url'],
    ['[remote "e"]\n\turl = hg::x\n', 'remote.e.url'],
    ['[remote "e"]\n\tuploadpack = x\n', 'remote.e.uploadpack'],
    ['[remote "e"]\n\tvcs = x\n', 'remote.e.vcs'],
    ['[submodule "s"]\n\tupdate = !x\n', 'submodule.s.update'],
    ['[http]\n\tproxy = x\n', 'http.proxy'],
    ['[protocol "ext"]\n\tallow = always\n', 'protocol.ext.allow'],
    ['[core] fsmonitor = x\n', 'the file itself'],
    ['[core]\n\tfilemode = a\\\n\tb\n', 'the file itself'],
    ['[core.x]y\n', 'the file itself'],
    ['[user]\n\tname = a "b" c\n', 'the file itself'],
    ['\u0000[core]\n', 'the file itself'],
    ['filemode = true\n[', 'the file itself'],
  ])('is dangerous: %j', ([added = '', name]) => {
    expect(dangerousChanges(BASE, BASE + added)).toEqual([name])
  })

  it('is no danger where the user had it before, and another value of it is', () => {
    const own = `${BASE}[alias]\n\tst = status\n`
    expect(dangerousChanges(own, `${own}[branch "x"]\n\tmerge = refs/heads/x\n`)).toEqual([])
    expect(dangerousChanges(own, own.replace('status', '!x'))).toEqual(['alias.st'])
  })
})

test('settings keep every value in order', () => {
  expect(parseConfig('[remote "a \\"b\\""]\nurl = 1\nurl = "2"\n[core]\nbare\n')).toEqual(
    new Map([
      ['remote.a "b".url', ['1', '2']],
      ['core.bare', ['true']],
    ]),
  )
})
