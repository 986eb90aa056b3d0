import { describe, expect, test } from 'vitest'

import { type Api, APIS } from '../../support/demo-model/apis.ts'
import { KEY, startModel } from '../../support/demo-model/start-model.ts'

describe.for(APIS)('The demo model speaks %s', ([, api]) => {
  test.for([false, true])('with its tool call, streamed: %s', async (stream) => {
    await using model = await startModel()
    const response = await post(model.url, api, { stream, answered: false })
    const { text, calls, output } = await read(response, api)
    expect(text).toBe('I run as asked.')
    expect(calls).toEqual([{ name: 'shell', input: { command: 'ls' } }])
    expect(output).toBeGreaterThan(4)
  })

  test.for([false, true])('and reads what the tool answered, streamed: %s', async (stream) => {
    await using model = await startModel()
    const response = await post(model.url, api, { stream, answered: true })
    const { text, calls } = await read(response, api)
    expect(text).toBe('I did run `ls`. The answer: listing')
    expect(calls).toEqual([])
  })

  test('with the key in its own header alone', async () => {
    await using model = await startModel()
    const body = { stream: false, answered: false }
    for (const headers of [api.headers('wrong'), { 'x-api-key': KEY }, {}]) {
      // oxlint-disable-next-line no-await-in-loop -- three requests to one server
      const response = await post(model.url, api, body, headers)
      expect(response.status).toBe(401)
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await response.json()).toHaveProperty('error.message')
    }
  })

  test('with a sentence for what is no request of it', async () => {
    await using model = await startModel()
    const response = await fetch(model.url + api.path(false), {
      method: 'POST',
      headers: api.headers(KEY),
      body: '{"model":"any"}',
    })
    expect(response.status).toBe(400)
    const { error }: { error: { message: string } } = JSON.parse(await response.text())
    expect(error.message).toMatch(/^(messages|input|contents): /)
  })
})

test('Data that an agent asks for beside its task has the form it names', async () => {
  await using model = await startModel()
  const properties = { score: { type: 'INTEGER' }, why: { type: 'STRING' } }
  const response = await fetch(`${model.url}/v1beta/models/any:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY },
    body: JSON.stringify({
      contents: [{ role: 'user', parts: [{ text: 'demo: run ls' }] }],
      generationConfig: { responseJsonSchema: { type: 'OBJECT', properties } },
    }),
  })
  const { candidates } = JSON.parse(await response.text())
  expect(JSON.parse(candidates[0].content.parts[0].text)).toEqual({ score: 1, why: 'demo' })
})

async function post(
  url: string,
  api: Api,
  options: { stream: boolean; answered: boolean },
  headers: Record<string, string> = api.headers(KEY),
): Promise<Response> {
  return await fetch(url + api.path(options.stream), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(api.body(options)),
  })
}

async function read(response: Response, api: Api) {
  expect(response.status).toBe(200)
  const streamed = response.headers.get('content-type') === 'text/event-stream'
  const text = await response.text()
  const pieces: unknown[] = streamed
    ? [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json))
    : [JSON.parse(text)]
  expect(pieces.length > 3).toBe(streamed)
  const said = pieces.map((piece) => api.said(piece))
  return {
    text: said.map((one) => one.text).join(''),
    calls: said.flatMap((one) => one.calls),
    output: pieces.map((piece) => api.output(piece)).findLast((count) => count !== undefined),
  }
}
