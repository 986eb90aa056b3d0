/** Which changes of a repository's configuration cannot make the host's git run something. */

/** One setting, such as `branch.main.remote`, with the values in their order. */
type Settings = Map<string, string[]>

const PLAIN = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf)$/,
  /^branch\..+\.(remote|merge|pushremote|rebase|description)$/s,
  /^remote\..+\.(fetch|push|tagopt|prune)$/s,
  /^submodule\..+\.active$/s,
  /^user\.(name|email)$/,
  /^(pull\.rebase|push\.default|push\.autosetupremote|init\.defaultbranch|rerere\.enabled|merge\.conflictstyle|diff\.algorithm|rebase\.autostash|rebase\.autosquash|fetch\.prune)$/,
]
const ABOVE = /^(\.\.\/)+(?!.*\.\.)[^/]+/
const URLS = /^(remote\..+\.(url|pushurl)|submodule\..+\.url)$/s

/**
 * The names of settings that are new or changed and not on a short list of harmless ones; for text that
 * is not plainly a configuration, `the file itself`. A submodule's also leads to its folder. Pure.
 */
export function dangerousChanges(before: string, after: string, submodule = false): string[] {
  if (before === after) return []
  const [old, now] = [parseConfig(before), parseConfig(after)]
  if (now === undefined) return ['the file itself']
  return [...now].flatMap(([name, values]) => {
    const same = old?.get(name)?.join('\0') === values.join('\0')
    const leads = (value: string): boolean =>
      submodule && name === 'core.worktree' && ABOVE.test(value)
    return same || values.every((value) => isHarmless(name, value) || leads(value)) ? [] : [name]
  })
}

function isHarmless(name: string, value: string): boolean {
  if (URLS.test(name)) return isPlainUrl(value)
  return PLAIN.some((known) => known.test(name)) && !value.startsWith('-')
}

/** No option, and no `helper::address`, whose helper is a program. */
function isPlainUrl(url: string): boolean {
  if (url.startsWith('-') || /^[\w+.-]*::/.test(url)) return false
  const scheme = /^([\w+.-]+):\/\//.exec(url)?.[1]
  return scheme === undefined || ['https', 'http', 'ssh', 'git', 'file'].includes(scheme)
}

const SECTION = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\["\\])*)")?\]$/
const SETTING = /^([A-Za-z][A-Za-z0-9-]*)(?:[ \t]*=[ \t]*([^\n]*))?$/

/**
 * What git itself writes, and no more: a section or a setting a line. Anything else, such as both on
 * one line or a continued one, gives `undefined`, since git may read it differently. Pure.
 */
export function parseConfig(text: string): Settings | undefined {
  const settings: Settings = new Map()
  let section: string | undefined
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '' || /^[#;]/.test(line)) continue
    const head = sectionOf(line)
    const [, key, value = 'true'] = head === undefined ? (SETTING.exec(line) ?? []) : []
    if (head !== undefined) section = head
    else if (key === undefined || section === undefined || !isPlainValue(value)) return undefined
    else add(settings, `${section}.${key.toLowerCase()}`, value.replace(/^"(.*)"$/, '$1'))
  }
  return settings
}

function sectionOf(line: string): string | undefined {
  const [, name, sub] = SECTION.exec(line) ?? []
  if (name === undefined || sub === undefined) return name?.toLowerCase()
  return `${name.toLowerCase()}.${sub.replace(/\\(.)/g, '$1')}`
}

function add(settings: Settings, name: string, value: string): void {
  settings.set(name, [...(settings.get(name) ?? []), value])
}

/** A quote only around the whole, and no escape that git would resolve. */
const isPlainValue = (value: string): boolean => /^("[^"\\]*"|[^"\\]*)$/.test(value)
