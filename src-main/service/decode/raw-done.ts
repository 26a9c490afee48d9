import type {
  RawAddressAnswer,
  RawDoneAnswer,
  RawRequestedAnswer,
} from '../../../src-shared/service/answers.ts'
import type { RawReportId } from '../../../src-shared/values/ids.ts'
import { malformed } from '../service-failure.ts'
import { decodeText } from '../text.ts'
import { decodeMembers, optionalMembers, optionalText, plainId } from './members.ts'
import type { Members } from './members.ts'

/** raw/cancel and raw/remove: whether it was done, the service's words, and what passed and failed. */
export function decodeRawDone(answer: Members): RawDoneAnswer {
  const { success } = answer
  if (typeof success !== 'boolean') throw malformed('success is neither true nor false')
  const feedback = optionalMembers(answer['feedback'], 'feedback')
  return {
    success,
    message: optionalText(answer['message'], 'message') ?? '',
    feedback: {
      pass: decodeMembers(optionalMembers(feedback['pass'], 'feedback.pass')),
      fail: decodeMembers(optionalMembers(feedback['fail'], 'feedback.fail')),
    },
  }
}

/** raw/request: the same, and the new report's id where there is one. */
export function decodeRawRequested(answer: Members): RawRequestedAnswer {
  const { id } = answer
  const absent = id === undefined || id === null || id === false || id === ''
  return { ...decodeRawDone(answer), id: absent ? null : (plainId(id, 'id') as RawReportId) }
}

const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

/**
 * raw/download: an encoded address on another host. One that is an address as it stands is taken as it is,
 * because decoding it would break the escapes that belong to it.
 */
export function decodeRawAddress(answer: Members): RawAddressAnswer {
  const { url } = answer
  const address = typeof url === 'string' && !isWebAddress(url) ? decodeText(url) : url
  if (typeof address !== 'string' || !isWebAddress(address)) throw malformed('url is no web address')
  return { url: address }
}
