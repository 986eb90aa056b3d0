/** Which part of the border a request is meant for. Pure. */
import { valuesOf } from './headers.ts'
import type { GatewayRoute } from './policy.ts'
import { routeIdOf } from './presets.ts'

/** The address inside the container under which init offers the gateway. */
const GATEWAY = /^(?:127\.0\.0\.1|localhost|\[::1\]):3129$/i

/** What a sidecar's gateway is often called: a route's path is meant for it, whatever the port. */
const GATEWAY_NAME = /^(?:gateway|glovebox)(?::\d{1,5})?$/i

const CONTROL_PATH = '/.glovebox/control'

type Head = { url?: string | undefined; rawHeaders: readonly string[] }

export function isGatewayAuthority(authority: string): boolean {
  return GATEWAY.test(authority)
}

/**
 * The origin-form target when a request is for the gateway: it begins with a route's id, or its
 * Host or absolute form names the gateway (clients that ignore NO_PROXY send the latter).
 */
export function gatewayTarget(head: Head, routes: readonly GatewayRoute[]): string | undefined {
  const url = head.url ?? ''
  if (url.startsWith('/')) {
    if (url.startsWith('/.glovebox/')) return undefined
    const named = valuesOf(head.rawHeaders, 'host').some((host) => GATEWAY.test(host))
    return named || routes.some(({ id }) => id === routeIdOf(url)) ? url : undefined
  }
  return absoluteTarget(url, routes)
}

function absoluteTarget(url: string, routes: readonly GatewayRoute[]): string | undefined {
  const [, authority = '', rest = ''] = /^http:\/\/([^/?#]*)(.*)$/is.exec(url) ?? []
  const path = rest.startsWith('/') ? rest : `/${rest}`
  if (isGatewayAuthority(authority)) return path
  const routed = GATEWAY_NAME.test(authority) && routes.some(({ id }) => id === routeIdOf(path))
  return routed ? path : undefined
}

/**
 * Which protocol change a request asks for. Anything but exactly `websocket` and init's own
 * control stream (h2c, tcp, lists) is not honoured: the request is then an ordinary one.
 */
export function upgradeKind(head: Head): 'websocket' | 'control' | undefined {
  const [protocol, ...more] = valuesOf(head.rawHeaders, 'upgrade')
  if (protocol === undefined || more.length > 0) return undefined
  const name = protocol.trim().toLowerCase()
  if (name === 'websocket') return (head.url ?? '').startsWith('/.') ? undefined : 'websocket'
  return name === 'glovebox-control' && head.url === CONTROL_PATH ? 'control' : undefined
}
