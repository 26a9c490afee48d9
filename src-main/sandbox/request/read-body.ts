import type { IncomingMessage } from 'node:http'
import type { Behaviour } from '../contracts/behaviour.ts'
import { Refusal } from '../contracts/handler.ts'
import { parseFormBody } from './form-body.ts'

/** No request of this interface comes near it. */
const LONGEST_BODY = 1_000_000

/**
 * The body as text; a body that is too long is read to its end but not kept, so that the refusal can be answered.
 * @throws Refusal 413
 */
async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= LONGEST_BODY) chunks.push(chunk)
  }
  if (length > LONGEST_BODY) throw new Refusal(413, `The body is longer than ${LONGEST_BODY} bytes`)
  return Buffer.concat(chunks).toString('utf8')
}

function parseJsonBody(body: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    throw new Refusal(400, 'The body is not JSON')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Refusal(400, 'The body is not a JSON object')
  }
  // Null says "not given", as it does in many a client.
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== null))
}

const forms = {
  json: { type: 'application/json', parse: parseJsonBody },
  form: { type: 'application/x-www-form-urlencoded', parse: parseFormBody },
} as const

/**
 * A request's parameters by name, in whichever form they came.
 * @param bodies which forms are taken at this moment
 * @throws Refusal 400 where the body cannot be read, 413 where it is too long
 */
export async function readBody(
  request: IncomingMessage,
  bodies: Behaviour['bodies'],
): Promise<Record<string, unknown>> {
  const body = await textOf(request)
  const given = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const taken = [forms.json, forms.form].filter((form) => bodies === 'both' || form === forms[bodies])
  const form = taken.find((item) => item.type === given)
  if (form === undefined) {
    const types = taken.map((item) => item.type).join(' or ')
    throw new Refusal(400, `The body's content type has to be ${types}`)
  }
  return form.parse(body)
}
