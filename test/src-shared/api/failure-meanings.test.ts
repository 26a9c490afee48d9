import { describe, expect, it } from 'vitest'
import { deskFailureKinds, serviceFailureKinds } from '#shared/api/failure.ts'
import { failureMeanings, mayOthersSucceed } from '#shared/api/failure-meanings.ts'

const kinds = [...serviceFailureKinds, ...deskFailureKinds]

it('has the meaning of every kind of failure, and no other', () => {
  expect(Object.keys(failureMeanings).toSorted()).toEqual(kinds.toSorted())
})

describe.each(kinds)('the columns of %s do not contradict each other', (kind) => {
  const { connection, remedy, away } = failureMeanings[kind]

  it('needs a token if the connection does', () => {
    expect(remedy === 'token').toBe(connection === 'refused' || connection === 'no-token')
  })

  it('is refused by a service that answers', () => {
    if (connection === 'online') expect(remedy).toBe('none')
    if (remedy === 'none') expect(['online', 'doubtful']).toContain(connection)
  })

  it('can be remedied while the service is away, and leaves no other request a chance', () => {
    if (!away) return
    expect(['retry', 'token']).toContain(remedy)
    expect(mayOthersSucceed(kind)).toBe(false)
  })

  it('is away if the connection is lost, unless a view offers the retry', () => {
    const isLost = !['online', 'doubtful', null].includes(connection)
    expect(away).toBe(kind === 'resting' || (isLost && kind !== 'no-keychain'))
  })
})
