import { expect, it } from 'vitest'
import { components, filesOf, textsOfComponent, textsOfModule } from './window-texts.ts'

/** The most words of a sentence. A value counts as one. */
const most = 14

/** Texts without a sentence: queries, patterns and lists of names. */
const isProse = (text: string): boolean =>
  /\p{Ll}[,:;]? \p{Ll}/u.test(text) && !/[_={}|\\<>$[\]]|\b\p{Lu}{3,} |\d[a-z]\d/u.test(text)

const sentencesOf = (text: string): string[] =>
  text
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.!?…][”")]?) (?=[\p{Lu}“…(])| · /u)
    .map((sentence) => sentence.trim())

const wordsOf = (sentence: string): number =>
  sentence.match(/[\p{L}\p{N}]+(?:['’.,:/-][\p{L}\p{N}]+)*|…/gu)?.length ?? 0

it('says nothing in a sentence that is too long to be read at a glance', () => {
  const modules = filesOf('src-{main,shared,renderer}/**/*.ts').filter(
    (file) => !file.startsWith('src-main/sandbox/') && !file.endsWith('texts/palette.ts'),
  )
  const long = [...modules.map(textsOfModule), ...components.map(textsOfComponent)]
    .flat()
    .filter(isProse)
    .flatMap(sentencesOf)
    .filter((sentence) => wordsOf(sentence) > most)
  expect(long).toEqual([])
})
