/** Shell lines that fetch something from a host with one tool each, and print `hello` when they did. */

const script = (body: string) => `node -e ${JSON.stringify(body).replaceAll('$', String.raw`\$`)}`

const fetched = (from: string, url: string) =>
  script(
    `${from}.then((r) => r.text()).then(console.log, (e) => { console.error(e); process.exit(1) })`.replace(
      'URL',
      `'${url}'`,
    ),
  )

const FETCH = 'fetch(URL, { signal: AbortSignal.timeout(8000) })'
const undici = (name: string) =>
  `require('${name}').fetch(URL, { dispatcher: new (require('${name}').EnvHttpProxyAgent)() })`
const plainUndici = (name: string) => `require('${name}').fetch(URL)`
const wsClient = (host: string, more: string) =>
  script(
    `const W = require('ws'); const w = new W('wss://${host}/ws', { handshakeTimeout: 8000 ${more} });` +
      `w.on('open', () => { console.log('hello from outside'); process.exit() }).on('error', (e) => { console.error(e.message); process.exit(1) })`,
  )
const SSH =
  "GIT_SSH_COMMAND='ssh -i ssh-key -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5'"

/** `proxy`: with the variables that name a proxy. */
type Tool = [name: string, proxy: boolean, line: (host: string) => string]

export const TOOLS: Tool[] = [
  ['curl over https', true, (host) => `curl -sS -m 8 https://${host}/small`],
  ['curl over http', true, (host) => `curl -fsS -m 8 http://${host}/small`],
  ['curl without a proxy', false, (host) => `curl -sS -m 8 https://${host}/small`],
  [
    'git over https',
    true,
    (host) => `git clone -q https://${host}/repository.git out && cat out/file`,
  ],
  [
    'git over https without a proxy',
    false,
    (host) => `git clone -q https://${host}/repository.git out && cat out/file`,
  ],
  [
    'git over ssh',
    true,
    (host) => `${SSH} git clone -q root@${host}:/opt/outside/repository.git out && cat out/file`,
  ],
  [
    'npm',
    true,
    (host) =>
      `mkdir out && cd out && echo {} >package.json && npm install --no-audit --no-fund --fetch-retries 0 --cache /tmp/npm-$$ --registry https://${host}/ tiny-package && echo hello $(ls node_modules)`,
  ],
  [
    'npm without a proxy',
    false,
    (host) =>
      `mkdir out && cd out && echo {} >package.json && npm install --no-audit --no-fund --fetch-retries 0 --cache /tmp/npm-$$ --registry https://${host}/ tiny-package && echo hello $(ls node_modules)`,
  ],
  [
    'pip',
    true,
    (host) =>
      `pip install -q --no-cache-dir --retries 0 --timeout 5 --disable-pip-version-check --target out --index-url https://${host}/simple/ tinywheel && python3 -c "import sys; sys.path.insert(0, 'out'); import tinywheel; print('hello')"`,
  ],
  [
    'pip without a proxy',
    false,
    (host) =>
      `pip install -q --no-cache-dir --retries 0 --timeout 5 --disable-pip-version-check --target out --index-url https://${host}/simple/ tinywheel && echo hello`,
  ],
  ['Go', true, (host) => `go-fetch https://${host}/small`],
  ['Go without a proxy', false, (host) => `go-fetch https://${host}/small`],
  ['Go over http', true, (host) => `go-fetch http://${host}/small | grep outside`],
  [
    'Node fetch with its flag',
    true,
    (host) => `NODE_USE_ENV_PROXY=1 ${fetched(FETCH, `https://${host}/small`)}`,
  ],
  [
    'Node fetch over http with its flag',
    true,
    (host) => `NODE_USE_ENV_PROXY=1 ${fetched(FETCH, `http://${host}/small`)} | grep outside`,
  ],
  ['Node fetch without flags', false, (host) => fetched(FETCH, `https://${host}/small`)],
  [
    'undici 7 with its proxy agent',
    true,
    (host) => fetched(undici('undici7'), `https://${host}/small`),
  ],
  [
    'undici 7 over http',
    true,
    (host) => `${fetched(undici('undici7'), `http://${host}/small`)} | grep outside`,
  ],
  [
    'undici 7 without a proxy',
    false,
    (host) => fetched(plainUndici('undici7'), `https://${host}/small`),
  ],
  [
    'undici 8 with its proxy agent',
    true,
    (host) => fetched(undici('undici8'), `https://${host}/small`),
  ],
  [
    'undici 8 over http',
    true,
    (host) => `${fetched(undici('undici8'), `http://${host}/small`)} | grep outside`,
  ],
  [
    'undici 8 without a proxy',
    false,
    (host) => fetched(plainUndici('undici8'), `https://${host}/small`),
  ],
  ['ws without a proxy', false, (host) => wsClient(host, '')],
  [
    'ws with a proxy agent',
    true,
    (host) =>
      wsClient(
        host,
        `, agent: new (require('https-proxy-agent').HttpsProxyAgent)(process.env.HTTPS_PROXY)`,
      ),
  ],
]
