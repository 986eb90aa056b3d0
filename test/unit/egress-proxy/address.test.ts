import { describe, expect, test } from 'vitest'

import { type AddressClass, classOf, embeddedV4, inRanges } from '../../../egress-proxy/address.ts'

describe('addresses have the class of the IANA registries', () => {
  test.for<[string, AddressClass]>([
    ['8.8.8.8', 'public'],
    ['1.1.1.1', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['100.63.255.255', 'public'],
    ['198.20.0.0', 'public'],
    ['223.255.255.255', 'public'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'shared'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['169.254.1.1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['192.0.0.1', 'reserved'],
    ['192.0.2.1', 'documentation'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['198.18.0.1', 'benchmarking'],
    ['192.88.99.1', 'transition'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['2606:4700::1', 'public'],
    ['2a00:1450::1', 'public'],
    ['2001:4860:4860::8888', 'public'],
    ['::', 'unspecified'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::1', 'loopback'],
    ['fc00::1', 'private'],
    ['fd12::1', 'private'],
    ['fec0::1', 'private'],
    ['fe80::1', 'link-local'],
    ['ff02::1', 'multicast'],
    ['fd00:ec2::254', 'metadata'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['2001:2::1', 'benchmarking'],
    ['2001:20::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['100::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['64:ff9b:1::1', 'transition'],
    ['not an address', 'reserved'],
    ['fe80::1%lo', 'reserved'],
  ])('%s is %s', ([address, kind]) => expect(classOf(address)).toBe(kind))
})

describe('an IPv4 address inside an IPv6 one decides', () => {
  test.for<[string, string, AddressClass]>([
    ['::ffff:127.0.0.1', '127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', '127.0.0.1', 'loopback'],
    ['::ffff:8.8.8.8', '8.8.8.8', 'public'],
    ['::127.0.0.1', '127.0.0.1', 'loopback'],
    ['::7f00:1', '127.0.0.1', 'loopback'],
    ['::8.8.8.8', '8.8.8.8', 'transition'],
    ['64:ff9b::a9fe:a9fe', '169.254.169.254', 'metadata'],
    ['64:ff9b::10.0.0.1', '10.0.0.1', 'private'],
    ['64:ff9b::8.8.8.8', '8.8.8.8', 'public'],
    ['2002:7f00:1::', '127.0.0.1', 'loopback'],
    ['2002:808:808::1', '8.8.8.8', 'transition'],
    ['2001:0:1234::f5ff:fffe', '10.0.0.1', 'private'],
    ['2001:0:1234::f7f7:f7f7', '8.8.8.8', 'transition'],
  ])('%s holds %s and is %s', ([address, inner, kind]) => {
    expect(embeddedV4(address)).toBe(inner)
    expect(classOf(address)).toBe(kind)
  })

  test('plain addresses hold none', () => {
    expect(['8.8.8.8', '::1', '::', '2606:4700::1'].map(embeddedV4)).toEqual(
      Array(4).fill(undefined),
    )
  })
})

describe('ranges', () => {
  test.for<[string, string, boolean]>([
    ['10.20.3.4', '10.20.0.0/16', true],
    ['10.21.0.0', '10.20.0.0/16', false],
    ['10.20.3.4', '10.20.3.4/32', true],
    ['10.20.3.5', '10.20.3.4/31', true],
    ['10.20.3.6', '10.20.3.4/31', false],
    ['10.20.3.4', '0.0.0.0/0', true],
    ['fd00::1', 'fd00::/8', true],
    ['fe00::1', 'fd00::/8', false],
    ['::ffff:10.20.3.4', '10.20.0.0/16', true],
    ['64:ff9b::10.20.3.4', '10.20.0.0/16', false],
    ['10.20.3.4', 'fd00::/8', false],
    ['::1', '0.0.0.0/0', false],
  ])('%s in %s: %s', ([address, cidr, inside]) => expect(inRanges(address, [cidr])).toBe(inside))
})
