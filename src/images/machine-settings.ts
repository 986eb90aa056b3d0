/** How this machine fetches packages, for an image build that has to fetch some too. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import { runTool } from './run-tool.ts'

export type MachineSettings = {
  /** Predefined build arguments, which engines keep out of the image's history. */
  buildArgs: Record<string, string>
  /** Files of `container/base/host`, by name; these do end up in a lower layer: no secrets. */
  files: Record<string, string>
}

/** Everything that can be found out; a machine without apt has only its environment. */
export async function machineSettings(env: NodeJS.ProcessEnv): Promise<MachineSettings> {
  const config = existsSync('/usr/bin/apt-config') ? await runTool('apt-config', ['dump']) : ''
  const sources = existsSync('/usr/bin/apt-get')
    ? await runTool('apt-get', ['indextargets', '--format', '$(REPO_URI) $(ORIGIN)'])
    : ''
  const files: Record<string, string> = {
    'fetch.conf': fetchSettings(config),
    mirrors: mirrorLines(sources),
  }
  const bundle = await certificateBundle(env)
  if (bundle !== undefined) files['ca.crt'] = bundle
  return { buildArgs: proxyArguments(env, config), files }
}

/** Environment first, in either case; else what apt was told. */
export function proxyArguments(env: NodeJS.ProcessEnv, aptConfig: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    const scheme = name.split('_')[0]?.toLowerCase()
    const apt = new RegExp(`^Acquire::${scheme}::Proxy "([^"]+)";`, 'im').exec(aptConfig)?.[1]
    const value = env[name] || env[name.toLowerCase()] || (apt === 'DIRECT' ? undefined : apt)
    if (value === undefined) continue
    found[name] = value
    // curl and apt read http_proxy in lower case only.
    found[name.toLowerCase()] = value
  }
  return found
}

/** Of apt's settings only these: others hold paths of this machine, or passwords. */
const HARMLESS =
  /^Acquire::(Check-Valid-Until|Check-Date|Retries|ForceIPv[46]|https?::(Timeout|Pipeline-Depth|No-Cache)) /

/** The lines of `apt-config dump` that also hold inside a build. */
export function fetchSettings(aptConfig: string): string {
  const lines = aptConfig.split('\n').filter((line) => HARMLESS.test(line))
  return lines.map((line) => `${line}\n`).join('')
}

/**
 * From `URI origin` lines, the mirrors that replace the distribution's own hosts, as
 * `archive URI` lines. An address with a password in it is left out.
 */
export function mirrorLines(sources: string): string {
  const mirrors = new Map<string, string>()
  for (const line of sources.split('\n')) {
    const [uri = '', origin = ''] = line.split(' ')
    if (origin !== 'Debian' || !URL.canParse(uri)) continue
    const { hostname, pathname, username } = new URL(uri)
    const archive = pathname.split('/').findLast((part) => part.startsWith('debian'))
    if (archive === undefined || username !== '' || hostname.endsWith('.debian.org')) continue
    mirrors.set(archive, uri.replace(/\/$/, ''))
  }
  return [...mirrors].map(([archive, uri]) => `${archive} ${uri}\n`).join('')
}

async function certificateBundle(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const places = [
    env['SSL_CERT_FILE'],
    '/etc/ssl/certs/ca-certificates.crt',
    '/etc/pki/tls/cert.pem',
  ]
  const path = places.find((place) => place !== undefined && existsSync(place))
  return path === undefined ? undefined : await readFile(path, 'utf8')
}
