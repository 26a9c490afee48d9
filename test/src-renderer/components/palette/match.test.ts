import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentOf, fitOf, isMistyped, putRight, wordsOf } from '#renderer/components/palette/match.ts'
import { checkProperty } from '#test/helpers/properties.ts'

describe('the words of a text', () => {
  it.each([
    ['Export as PDF…', ['export', 'as', 'pdf']],
    ['cheap-clicks', ['cheap', 'clicks']],
    ['100% legit', ['100', 'legit']],
    ["User's guide", ['users', 'guide']],
    ['Été à São Paulo?', ['ete', 'a', 'sao', 'paulo']],
    ['198.51.100.154', ['198.51.100.154']],
    ['2001:db8::7', ['2001:db8::7']],
    ['東京 ニュース', ['東京', 'ニュース']],
    [' …  ', []],
  ])('of “%s” are %j', (text, words) => expect(wordsOf(text)).toEqual(words))

  it('name something, unless none does', () => {
    expect(contentOf(['where', 'are', 'my', 'downloads'])).toEqual(['downloads'])
    expect(contentOf(['where', 'are'])).toEqual(['where', 'are'])
  })
})

describe('how well words fit', () => {
  const fit = (typed: string, name: string) => fitOf(wordsOf(typed), wordsOf(name))

  it('is most for the same, then for what begins so, then for any order, and nothing where a word is none of them', () => {
    const best = [
      fit('script by browser', 'Script by browser'),
      fit('script by bro', 'Script by browser'),
      fit('scr', 'Script by browser'),
      fit('browser script', 'Script by browser'),
    ]
    expect(best).toEqual([...best].sort((one, other) => other - one))
    expect(new Set(best).size).toBe(4)
    expect(best.at(-1)).toBeGreaterThan(0)
  })

  it.each([
    ['evidence', 'Direct by device'],
    ['pdf', 'Script by device'],
    ['bad', 'About Traffic Desk'],
    ['compare', 'Direct by operating system'],
    ['rowser', 'Script by browser'],
    ['s browser', 'Script by browser'],
    ['browser browser', 'Script by browser'],
  ])('is nothing for “%s” in “%s”', (typed, name) => expect(fit(typed, name)).toBe(0))

  it('is some for every name that is typed as far as anyone likes', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{2,8}$/), { minLength: 1, maxLength: 5 })
    const typedSoFar = fc.property(words, fc.nat(), (name, cut) => {
      const last = name[cut % name.length] ?? ''
      const typed = [...name.slice(0, cut % name.length), last.slice(0, 1 + (cut % last.length))]
      expect(fitOf(typed, name)).toBeGreaterThan(0.9)
    })
    checkProperty('What is typed of a name finds it', typedSoFar, 300)
  })
})

describe('a slip of the hand', () => {
  it.each([
    ['germny', 'germany'],
    ['gremany', 'germany'],
    ['germanny', 'germany'],
    ['yesteday', 'yesterday'],
    ['netwroks', 'networks'],
  ])('is “%s” for “%s”', (typed, meant) => {
    expect(isMistyped(typed, meant)).toBe(true)
    expect(putRight([typed], new Set([meant, 'browsers']))).toEqual([meant])
  })

  it.each([
    ['lock', 'look'],
    ['horse', 'worse'],
    ['france', 'germany'],
    ['germayn1', 'germany'],
  ])('is not “%s” for “%s”', (typed, other) => expect(isMistyped(typed, other)).toBe(false))

  it('is left as it is where two words are as near, or the word is one', () => {
    expect(putRight(['chins'], new Set(['china', 'chino']))).toEqual(['chins'])
    expect(putRight(['china'], new Set(['china', 'chino']))).toEqual(['china'])
  })
})
