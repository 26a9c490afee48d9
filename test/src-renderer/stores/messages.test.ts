import { describe, expect, it } from 'vitest'
import { Hands } from '../helpers/hands.ts'
import { Messages } from '#renderer/stores/messages.svelte.ts'

const texts = (messages: Messages) => messages.list.map(({ text }) => text)

describe('messages', () => {
  it('go by themselves; one with a way back stays longer', () => {
    const hands = new Hands()
    const messages = new Messages(hands)
    messages.show('Copied.')
    messages.show('Deleted.', { words: 'Undo', run: () => undefined })
    hands.move(5_999)
    expect(texts(messages)).toEqual(['Copied.', 'Deleted.'])
    hands.move(1)
    expect(texts(messages)).toEqual(['Deleted.'])
    hands.move(6_000)
    expect(texts(messages)).toEqual([])
  })

  it('go once what they offer was done in another way', () => {
    const messages = new Messages(new Hands())
    messages.show('Deleted.', { words: 'Undo', run: () => undefined })
    messages.show('New here?', { words: 'Take the tour', run: () => undefined })
    messages.dismissOffer('Take the tour')
    expect(texts(messages)).toEqual(['Deleted.'])
  })

  it('never go while they are looked at, and have their whole time afterwards', () => {
    const hands = new Hands()
    const messages = new Messages(hands)
    messages.show('Copied.')
    hands.move(5_000)
    messages.hold('looked-at', true)
    messages.show('Deleted.')
    hands.move(600_000)
    expect(texts(messages)).toEqual(['Copied.', 'Deleted.'])
    messages.hold('looked-at', false)
    hands.move(5_999)
    expect(texts(messages)).toEqual(['Copied.', 'Deleted.'])
    hands.move(1)
    expect(texts(messages)).toEqual([])
  })

  it('never go while nobody can see them, whoever stops looking', () => {
    const hands = new Hands()
    const messages = new Messages(hands)
    messages.hold('hidden', true)
    messages.show('Copied.')
    messages.hold('looked-at', true)
    messages.hold('looked-at', false)
    hands.move(600_000)
    expect(texts(messages)).toEqual(['Copied.'])
    messages.hold('hidden', false)
    hands.move(6_000)
    expect(texts(messages)).toEqual([])
  })

  it('do what they offer once, and go', () => {
    let undone = 0
    const messages = new Messages(new Hands())
    messages.show('Deleted.', { words: 'Undo', run: () => (undone += 1) })
    const [message] = messages.list
    if (message) messages.act(message)
    expect(undone).toBe(1)
    expect(messages.list).toEqual([])
  })

  it('are three at most, the newest', () => {
    const messages = new Messages(new Hands())
    for (const each of ['1', '2', '3', '4', '5']) messages.show(each)
    expect(texts(messages)).toEqual(['3', '4', '5'])
  })

  it('are timed again after the last one that was held is dismissed', () => {
    const hands = new Hands()
    const messages = new Messages(hands)
    messages.show('One.')
    messages.hold('looked-at', true)
    messages.list.forEach(({ id }) => messages.dismiss(id))
    messages.show('Two.')
    hands.move(6_000)
    expect(texts(messages)).toEqual([])
  })

  it('do what the newest of them offers, once', () => {
    const messages = new Messages(new Hands())
    const undone: string[] = []
    messages.show('One is deleted.', { words: 'Undo', run: () => undone.push('one') })
    messages.show('Two is deleted.', { words: 'Undo', run: () => undone.push('two') })
    messages.show('Copied.')
    expect([messages.actOnNewest(), messages.actOnNewest(), messages.actOnNewest()]).toEqual([
      true,
      true,
      false,
    ])
    expect(undone).toEqual(['two', 'one'])
    expect(texts(messages)).toEqual(['Copied.'])
  })
})
