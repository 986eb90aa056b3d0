/**
 * Node's modules as CommonJS sees them. An ES import of `node:http` evaluates every export, among
 * them the WebSocket of Node's own bundled undici: 13 MB and 80 ms (Node 24.22). An import of
 * `node:tls` loads OpenSSL (7 MB), which a session without TLS upstreams never needs.
 */
export const http = process.getBuiltinModule('node:http')

export const tls = () => process.getBuiltinModule('node:tls')

export const crypto = () => process.getBuiltinModule('node:crypto')
