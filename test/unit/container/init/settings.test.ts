import { expect, test } from 'vitest'

import { InitFault } from '../../../../container/init/fault.ts'
import { readSettings } from '../../../../container/init/settings.ts'

test('an image without overrides gets the fixed socket, ports and tini', () => {
  expect(readSettings(['node', 'agent.mjs'], { PWD: '/p', PATH: '/bin' }, '/other')).toEqual({
    socket: '/run/glovebox/egress.sock',
    ports: [3128, 3129],
    dnsPort: 53,
    command: ['/usr/bin/tini', '-s', '--', 'node', 'agent.mjs'],
    cwd: '/p',
    env: { PWD: '/p', PATH: '/bin' },
  })
})

test('overrides replace the fixed places and are hidden from the agent', () => {
  const env = {
    GLOVEBOX_INIT_SOCKET: '/s',
    GLOVEBOX_INIT_PORTS: '5000,5001',
    GLOVEBOX_INIT_DNS_PORT: '5053',
    GLOVEBOX_INIT_TINI: '',
    GLOVEBOX_INIT_LATER: 'x',
    GLOVEBOX_MODEL: 'm',
  }
  expect(readSettings(['agent'], env, '/c')).toEqual({
    socket: '/s',
    ports: [5000, 5001],
    dnsPort: 5053,
    command: ['agent'],
    cwd: '/c',
    env: { GLOVEBOX_MODEL: 'm' },
  })
})

test('a PWD that is no absolute path is not followed', () => {
  expect(readSettings(['agent'], { PWD: 'relative' }, '/c').cwd).toBe('/c')
})

test.for(['x', '0', '65536', '80,', '1.5', ''])('the port list %j is refused', (ports) => {
  const read = () => readSettings(['agent'], { GLOVEBOX_INIT_PORTS: ports }, '/c')
  expect(read).toThrow(InitFault)
})

test('no command is refused', () => {
  expect(() => readSettings([], {}, '/c')).toThrow('No agent command was given')
})

test('an empty resolver port means no resolver, and a wrong one is refused', () => {
  const portOf = (port: string) =>
    readSettings(['a'], { GLOVEBOX_INIT_DNS_PORT: port }, '/c').dnsPort
  expect(portOf('')).toBeUndefined()
  expect(() => portOf('dns')).toThrow('GLOVEBOX_INIT_DNS_PORT is not a list of ports: dns')
})
