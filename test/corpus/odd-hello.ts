/** ClientHellos of the kinds that a description names. */
import { clientHello } from '../support/egress/client-hello.ts'

const KINDS: [RegExp, (target: string) => Buffer[]][] = [
  [/name type/i, (name) => [clientHello({ names: [name], nameType: 1 })]],
  [/zero length|empty name/i, () => [clientHello({ names: [''] })]],
  [/(?:extension twice|duplicate (?:SNI|server_name) extension)/i, doubled],
  [/same record|coalesced/i, coalesced],
  [/SSLv2/i, () => [Buffer.from('802e0100020015000000100100800200800300800400800500', 'hex')]],
  [
    /alert record/i,
    (name) => {
      const bytes = clientHello({ names: [name], record: 40 })
      return [bytes.subarray(0, 45), Buffer.from([21, 3, 1, 0, 2, 1, 0]), bytes.subarray(45)]
    },
  ],
  [
    /(?:empty|zero-length) (?:handshake )?record/i,
    (name) => [Buffer.from([22, 3, 1, 0, 0]), clientHello({ names: [name] })],
  ],
  [
    /GREASE values/,
    (name) => [
      clientHello({
        names: [name],
        ciphers: [0x1a1a],
        more: [
          [0x2a2a, Buffer.alloc(0)],
          [0xfafa, Buffer.from([0])],
        ],
      }),
    ],
  ],
  [
    /early data in/i,
    (name) => [
      Buffer.concat([clientHello({ names: [name] }), Buffer.from([23, 3, 3, 0, 4, 1, 2, 3, 4])]),
    ],
  ],
  [
    /ESNI|0xffce/i,
    (name) => [clientHello({ names: [name], more: [[0xff_ce, Buffer.from([0, 0])]] })],
  ],
]

/** The pieces to send; undefined when the words name none of these kinds. */
export function oddHello(words: string, target: string): Buffer[] | undefined {
  return KINDS.find(([pattern]) => pattern.test(words))?.[1](target)
}

function doubled(name: string): Buffer[] {
  const list = Buffer.from(`\0\0\u0009evil.test`, 'latin1')
  const data = Buffer.concat([Buffer.from([0, list.length]), list])
  return [clientHello({ names: [name], more: [[0, data]] })]
}

/** Two messages in one record. */
function coalesced(name: string): Buffer[] {
  const [first, second] = [name, 'evil.test'].map((one) =>
    clientHello({ names: [one] }).subarray(5),
  )
  const both = Buffer.concat([first ?? Buffer.alloc(0), second ?? Buffer.alloc(0)])
  return [Buffer.from([22, 3, 1, both.length >> 8, both.length & 0xff]), both]
}
