import type { IncomingMessage } from 'node:http'

/** The whole body of a request. */
export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Asks another service the same, and gives what it answers. */
export async function handOn(
  address: string,
  { url, method }: IncomingMessage,
  body: string,
): Promise<string> {
  const answer = await fetch(`${address}${url}`, {
    method: method ?? 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return answer.text()
}
