/**
 * Suffixes under which anyone can register a name, so that `*.suffix` would allow everybody. The
 * full public suffix list is 10,000 lines; these are its structure and the hosting services seen in
 * exfiltration reports. A wildcard over one of them is refused when the rules are read.
 */

/** Second-level labels that country registries sell names under, such as `co.uk` or `com.au`. */
const REGISTRY_LABELS = new Set(
  'ac co com edu gob gov gub ltd mil ne net nom or org plc sch'.split(' '),
)

const OPEN_SUFFIXES = new Set([
  'appspot.com',
  'amazonaws.com',
  'azurewebsites.net',
  'azureedge.net',
  'azurefd.net',
  'blogspot.com',
  'cloudapp.net',
  'cloudfront.net',
  'cloudfunctions.net',
  'codesandbox.io',
  'deno.dev',
  'duckdns.org',
  'dyndns.org',
  'edgekey.net',
  'fastly.net',
  'firebaseapp.com',
  'fly.dev',
  'github.io',
  'gitlab.io',
  'glitch.me',
  'herokuapp.com',
  'loca.lt',
  'localtest.me',
  'lhr.life',
  'netlify.app',
  'ngrok.app',
  'ngrok.dev',
  'ngrok.io',
  'ngrok-free.app',
  'ngrok-free.dev',
  'nip.io',
  'no-ip.org',
  'on.aws',
  'onrender.com',
  'pages.dev',
  'r2.dev',
  'railway.app',
  'repl.co',
  'replit.app',
  'replit.dev',
  'run.app',
  'serveo.net',
  'sslip.io',
  'surge.sh',
  'trycloudflare.com',
  'vercel.app',
  'web.app',
  'windows.net',
  'workers.dev',
])

/** Whether `*.<suffix>` would stand for names of unrelated owners. */
export function isPublicSuffix(suffix: string): boolean {
  const labels = suffix.split('.')
  if (labels.length < 2) return true
  if (OPEN_SUFFIXES.has(suffix)) return true
  const [second = '', top = ''] = labels
  return labels.length === 2 && top.length === 2 && REGISTRY_LABELS.has(second)
}
