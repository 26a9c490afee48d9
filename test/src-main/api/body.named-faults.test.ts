import { describe, expect, it } from 'vitest'
import { faultsIn } from '#main/api/body.ts'
import { AccessToken } from '#main/api/token.ts'
import { tokenText } from '#test/helpers/service-client.ts'

const token = new AccessToken(tokenText, 'https://reports.example')
const faultsOf = (fail: unknown) => faultsIn(JSON.stringify({ feedback: { fail } }), token)

describe('the feedback of a refusal', () => {
  it('is read by name: decoded, without tags and control characters', () => {
    expect(
      faultsOf({ name: 'Not%20here', start: ['Too', { why: 'old' }], end: '<b>No</b>\u202e', type: 7 }),
    ).toEqual([
      ['name', 'Not here'],
      ['start', 'Too old'],
      ['end', 'No'],
      ['type', ''],
    ])
  })

  it.each(
    [
      ['', 'no JSON', '[]', 'null', '{}', '{"feedback":null}', '{"feedback":{"fail":null}}'],
      ['{"feedback":{"fail":"name"}}', '{"feedback":{"fail":[]}}', '{"feedback":{"pass":{"name":"Yes"}}}'],
    ].flat(),
  )('is missing from %j', (body) => {
    expect(faultsIn(body, token)).toEqual([])
  })

  it('is bounded, however much there is', () => {
    const many = faultsOf(Object.fromEntries(Array.from({ length: 9000 }, (_, place) => [`n${place}`, 'No'])))
    expect(many).toHaveLength(40)
    const [[name, words] = ['', '']] = faultsOf({ ['n'.repeat(9000)]: 'x'.repeat(9000) })
    expect([name.length, words.length]).toEqual([400, 400])
    const deep = `{"feedback":{"fail":{"name":${'['.repeat(3000)}"No"${']'.repeat(3000)}}}}`
    expect(faultsIn(deep, token)).toEqual([['name', '']])
  })

  it('takes no member of every object for a name', () => {
    const body = '{"feedback":{"fail":{"__proto__":{"polluted":"yes"},"name":"No"}}}'
    expect(faultsIn(body, token)).toEqual([['name', 'No']])
  })

  it.each([tokenText, encodeURIComponent(tokenText), encodeURIComponent(encodeURIComponent(tokenText))])(
    'never has the token in it: %s',
    (echoed) => {
      const faults = JSON.stringify(
        faultsOf({ name: `of ${echoed}`, [echoed]: [echoed], end: 'x'.repeat(390) + echoed }),
      )
      expect(faults).not.toContain('5e15a')
    },
  )
})
