/** The environment of the agent's container: a closed list. */

import { HOME_FOLDER } from '../docker/hardening.ts'

/** Where `init` listens for programs that honour proxies. */
const PROXY_URL = 'http://127.0.0.1:3128'
/** Where `init` listens for model traffic. */
export const GATEWAY_URL = 'http://127.0.0.1:3129'

/** Where programs are in an image that does not say. */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const PASSED_ON = ['LANG', 'TERM', 'TZ']

/**
 * Names and values. Of the host's environment only the language, terminal and time zone pass;
 * the profile's entries come last and may not replace `HOME`.
 */
export function agentEnvironment(
  host: Record<string, string | undefined>,
  profile: Record<string, string>,
): Record<string, string> {
  const local = Object.entries(host).filter(
    ([name, value]) =>
      value !== undefined && (PASSED_ON.includes(name) || name.startsWith('LC_')) && plain(value),
  )
  return {
    PATH: DEFAULT_PATH,
    LANG: 'C.UTF-8',
    ...Object.fromEntries(local.map(([name, value]) => [name, value ?? ''])),
    ...PROXY_ENVIRONMENT,
    ...profile,
    HOME: HOME_FOLDER,
  }
}

/** Both cases, since programs differ; curl and wget read only the lower one. */
const PROXY_ENVIRONMENT: Record<string, string> = {
  HTTP_PROXY: PROXY_URL,
  http_proxy: PROXY_URL,
  HTTPS_PROXY: PROXY_URL,
  https_proxy: PROXY_URL,
  NO_PROXY: 'localhost,127.0.0.1,::1',
  no_proxy: 'localhost,127.0.0.1,::1',
  NODE_USE_ENV_PROXY: '1',
  npm_config_proxy: PROXY_URL,
  npm_config_https_proxy: PROXY_URL,
  GIT_TERMINAL_PROMPT: '0',
}

/** A locale or terminal name; nothing that could carry something else inside. */
function plain(value: string): boolean {
  return /^[\w.@:/+-]{1,64}$/.test(value)
}
