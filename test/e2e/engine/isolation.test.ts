import { describe, expect, test } from 'vitest'

import { bench, look, testEngines } from '../../support/engine/engines.ts'

describe.for(await testEngines())('On %s', ([, uri]) => {
  test('an agent has loopback alone, no capability, no new privileges, and seccomp', async () => {
    await using b = await bench(uri)
    const seen = await look(
      b,
      'ls /sys/class/net; grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; cat /proc/net/route | wc -l',
    )
    expect(seen.replace(/\s+/g, ' ')).toBe(
      'lo CapInh: 0000000000000000 CapPrm: 0000000000000000 CapEff: 0000000000000000 ' +
        'CapBnd: 0000000000000000 CapAmb: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 1 ',
    )
  })

  test('an agent writes its project and its two tmpfs as its user, and nothing else', async () => {
    await using b = await bench(uri)
    const places = '/ /etc /usr /run /run/glovebox /var /var/tmp /home /opt'
    const seen = await look(
      b,
      `id -u; id -g; for d in . /tmp /home/agent; do touch $d/x && echo wrote; done
      for d in ${places}; do touch $d/x 2>/dev/null && echo $d; done
      df -k --output=size /tmp /home/agent | grep -v K`,
    )
    const { uid, gid } = b.user
    expect(seen.split('\n').map((one) => one.trim())).toEqual(
      [uid, gid, 'wrote', 'wrote', 'wrote', 1048576, 1048576, ''].map(String),
    )
  })
})
