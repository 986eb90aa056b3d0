import type { CorpusCase } from '../corpus-file.ts'
import * as authority from './authority.ts'
import * as dns from './dns.ts'
import * as gateway from './gateway.ts'
import * as limits from './limits.ts'
import * as network from './network.ts'
import type { Scenario } from './tools.ts'
import * as tunnel from './tunnel.ts'
import * as upstream from './upstream.ts'

/** Cases whose words ask for more than sending a request, by what their id and words contain. */
const SCENARIOS: [RegExp, Scenario][] = [
  [/volume or env var|shared[- ]volume/i, network.sharedVolume],
  [/then inside: /, tunnel.insideAsWritten],
  [/header inside the tunnel byte by byte/, tunnel.slowInside],
  [
    /false 101|(?:wrong|bad|missing|forged) Sec-WebSocket-Accept|without (?:a )?101/i,
    tunnel.false101,
  ],
  [/leave in mid-handshake/, tunnel.leavers],
  [/CNAME leads to evil/, dns.chain],
  [/another id|wrong[- ]id/i, dns.forgedAnswer],
  [/truncated \(TC\)/i, dns.truncatedAnswer],
  [/last, one private/, dns.hugeAnswer],
  [/AAAA record only/i, dns.only6],
  [/upstream misbehaves at/, upstream.misbehavingAsWritten],
  [/forges our verdict|answer(?:s)? with X-Egress-Reason/i, upstream.forgedVerdict],
  [/provider answers 30\d/, gateway.keyAndRedirect],
  [/answers? 30\d|redirect/i, upstream.redirect],
  [/middle of its body|truncat/i, upstream.cutAnswer],
  [/[?&]key=/, gateway.queryKeys],
  [/X_Method_Override/, gateway.methodOverrides],
  [/in two pieces/, gateway.echoedInPieces],
  [/api_base|base_url|custom_host/, gateway.apiBase],
  [/unbuffered|SSE (?:stream|first)/i, gateway.unbuffered],
  [/concurrent (?:CONNECT|tunnels)|tunnels than/i, limits.manyTunnels],
  [/concurrent requests/i, limits.manyRequests],
  [/max_tunnel_bytes|byte[_ ]limit/, limits.tunnelBytes],
  [/chunked body larger/, limits.bigChunks],
  [/names its turn/, limits.turns],
  [/secret-in-config-dump/, gateway.noConfigDump],
  [/log-injection/, limits.logInjection],
  [/log-secrets/, limits.logSecrets],
  [/audit-flood|sink blocked/, limits.blockedLog],
  [/empty Host/, authority.hostVariants],
  [/empty-list|allow: \[\]/, authority.emptyRules],
  [/regex-chars/, authority.dotsAreDots],
  [/config: allow host/, authority.refusedHosts],
  [/\(API-level\) host string/, authority.hostStrings],
  [/localhost-names/, authority.localNames],
  [/oth-09-crash|uncaughtException/, authority.failClosed],
  [/route upstream http:/, authority.keyOverHttp],
  [/missing-secret|secret file\/env is empty/, authority.badKeys],
  [/inside MITM\/inner-HTTP: CONNECT/, tunnel.nestedConnect],
  [/inner-http-host/, tunnel.innerHost],
  [/host-selects-binding/, tunnel.innerModelHost],
  [/dial fails/, dns.unreachable],
  [/session-resumption/, tunnel.resumption],
  [/idle-tunnel/, tunnel.idleTunnel],
  [/post-upgrade/, tunnel.oddHandshakes],
  [/upgrade-other/, tunnel.otherUpgrades],
  [/two sequential requests/, dns.rebind],
  [/rebind-within-connection/, dns.reuse],
  [/aaaa-mapped|AAAA ::ffff/, dns.embedded],
  [/resolver never answers/, dns.silentResolver],
  [/zero answers|empty answer/i, dns.emptyAnswer],
  [/mixed|public and (?:a )?private/i, dns.mixedAnswer],
  [/container-alias/, dns.sibling],
  [/A \+ AAAA/, dns.twoFamilies],
  [/header-allowlist/, gateway.providerFields],
  [/header-fold/, gateway.foldedCredentials],
  [/wrong-provider-key/, gateway.routeChoosesKey],
  [/echo-key/, gateway.echoedKey],
  [/upstream-cert/, gateway.wrongCertificate],
  [/sse-abort/, gateway.clientLeaves],
  [/zip-bomb/, gateway.encodedAnswer],
  [/response-queue/, upstream.poisonedQueue],
  [/response-cl-te/, upstream.doubleFraming],
  [/1xx-flood/, upstream.manyHints],
  [/bad-response-syntax/, upstream.malformedAnswers],
  [/unsolicited/i, upstream.unsolicitedSwitch],
  [/X-Forwarded-For/, limits.forwardedFields],
  [/X-Upstream-Https-Proxy/, limits.otherProxies],
  [/Content_Length: 0/, limits.underscores],
  [/X-HTTP-Method-Override/, limits.override],
  [/slow-body/, limits.slowBody],
  [/slow-?header|slowloris/i, limits.slowHeader],
  [/max_request_bytes/, limits.bigBody],
  [/half-close/, limits.halfClose],
  [/pipelined GETs/, limits.pipelineFlood],
  [/max-requests-per-socket/, limits.longLived],
]

/** The special way to run a case that its request alone does not say; raw bytes need none. */
export function scenarioFor(given: CorpusCase): Scenario | undefined {
  if (given.request_encoding?.startsWith('latin1') === true) return undefined
  const words = `${given.id} ${given.request}`
  return SCENARIOS.find(([pattern]) => pattern.test(words))?.[1]
}
