import { expect, test } from 'vitest'

import { enginePaths } from '../../../src/bootstrap/engine-paths.mjs'

test('Everything of the private engine is below the ignored folder of the checkout.', () => {
  const { containerd, bridge, run, ...paths } = enginePaths('/home/ada/glovebox')
  const all = [...Object.values(paths), ...Object.values(containerd), run]
  expect(all.filter((path) => !path.startsWith('/home/ada/glovebox/.glovebox-engine'))).toEqual([])
  expect(bridge).toMatch(/^gb-[0-9a-f]{8}$/)
})

test('The socket is where the launcher looks for it.', () => {
  expect(enginePaths('/srv/glovebox').socket).toBe('/srv/glovebox/.glovebox-engine/docker.sock')
})

test('Sockets move to /run when the checkout’s path is too long for a socket name.', () => {
  const root = `/${'deep/'.repeat(20)}glovebox`
  const paths = enginePaths(root)
  expect(paths.socket).toMatch(/^\/run\/glovebox-engine-[0-9a-f]{8}\/docker\.sock$/)
  expect(paths.data.startsWith(root)).toBe(true)
  expect(`${paths.containerd.socket}.ttrpc`.length).toBeLessThan(108)
})

test('Two checkouts never share a bridge.', () => {
  expect(enginePaths('/a').bridge).not.toBe(enginePaths('/b').bridge)
})

test('An interface name fits the kernel’s 15 characters.', () => {
  expect(enginePaths('/anywhere').bridge.length).toBeLessThan(16)
})
