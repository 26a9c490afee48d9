import type { AnswerFor, EndpointPath } from '../../src-shared/service/endpoints.ts'
import { decodeAnswer } from './decode/answer.ts'
import { ServiceFailure } from './service-failure.ts'
import { statusFailure } from './status-failure.ts'
import type { Circumstances } from './status-failure.ts'
import type { HttpAnswer } from './transport/exchange.ts'

/** An answer, and the text to keep of it, which never has the token in it. */
export type ReadAnswer<P extends EndpointPath> = { readonly answer: AnswerFor<P>; readonly text: string }

/** Words of a refusal need no more characters; looking for them in a large body takes long. */
const longestRefusal = 64 * 1024

/** Whether an answer with status 200 speaks of an error all the same, as gateways and old services do. */
function speaksOfAnError(text: string): boolean {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null && 'error' in found
  } catch {
    return false
  }
}

/**
 * Turns what came back into an answer and the text to keep of it, which never has the token in it.
 * @throws ServiceFailure for every status but 200, and where the answer is none of this interface
 */
export function readAnswer<P extends EndpointPath>(
  answer: HttpAnswer,
  circumstances: Circumstances & { readonly path: P },
): ReadAnswer<P> {
  if (answer.status !== 200) throw statusFailure(answer, circumstances)
  const text = circumstances.token.redact(answer.text)
  try {
    return { answer: decodeAnswer(circumstances.path, text), text }
  } catch (error) {
    if (error instanceof ServiceFailure && speaksOfAnError(text)) {
      throw statusFailure({ ...answer, text: text.slice(0, longestRefusal), status: 400 }, circumstances)
    }
    throw error
  }
}
