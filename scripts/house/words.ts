import ts from 'typescript'
import { placeOf, walk } from './code.ts'
import type { Document, Source } from './code.ts'
import { privateInDocuments, privateWords } from './private-words.ts'
import type { PrivateWord } from './private-words.ts'

/**
 * Private words in names: each name is counted where it is declared, each file and folder once, and, in documents, each time
 * that it is written. One name counts once, whatever it has of them.
 */
export function wordsInUse(sources: readonly Source[], documents: readonly Document[]): readonly string[] {
  return [...pathsWith(sources), ...sources.flatMap(namesWith), ...documents.flatMap(writtenIn)]
}

const wholeNames = new Map(privateWords.filter(({ as }) => as === 'whole').map((each) => [each.word, each]))
const parts = privateWords.filter(({ as }) => as === 'part')

function namesWith(source: Source): readonly string[] {
  const places: string[] = []
  walk(source, (node) => {
    const name = declaredName(node)
    const word = name && (wholeName(name, node) ?? partOf(name))
    if (name && word && isUnder(source.path, word))
      places.push(placeOf(source, node, `${name} → ${word.becomes}`))
  })
  return places
}

/** The name that a node declares, itself and not as a copy: `{ kept }` taken apart declares it elsewhere. */
function declaredName(node: ts.Node): string | undefined {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isClassElement(node) ||
    ts.isTypeElement(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node)
  const name = isDeclaration ? node.name : undefined
  if (!name || !(ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) return undefined
  return name.text.replace(/^#/, '')
}

/** `found` is a word of its own but where it tells the members of a union apart. */
function wholeName(name: string, node: ts.Node): PrivateWord | undefined {
  return name === 'found' && !ts.isTypeElement(node) ? undefined : wholeNames.get(name)
}

const partsByName = new Map<string, PrivateWord | undefined>()

function partOf(name: string): PrivateWord | undefined {
  if (!partsByName.has(name)) {
    const words = ` ${split(name).join(' ')} `
    partsByName.set(
      name,
      parts.find(({ word }) => words.includes(` ${word} `)),
    )
  }
  return partsByName.get(name)
}

const isUnder = (path: string, { under }: PrivateWord): boolean =>
  !under || under.some((folder) => path.startsWith(`${folder}/`))

/** The words of a name: `keptTables`, `kept-tables` and `KEPT_TABLES` have the same two. */
export const split = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

function pathsWith(sources: readonly Source[]): readonly string[] {
  const paths = privateWords.filter(({ as }) => as === 'path')
  const folders = paths.filter(({ word }) => sources.some(({ path }) => path.startsWith(word)))
  const last = new Map(privateWords.filter(({ as }) => as === 'file').map((each) => [each.word, each]))
  const files = sources.flatMap(({ path }) => {
    const name = path.replace(/^.*\//, '').replace(/(\.svelte)?\.\w+$/, '')
    const word = last.get(split(name).at(-1) ?? '') ?? partOf(name)
    return word && isUnder(path, word) ? [`${path}:1 ${name} → ${word.becomes}`] : []
  })
  return [...folders.map(({ word, becomes }) => `${word} → ${becomes}`), ...files]
}

/** In documents the words of the shorter list count, wherever they stand. */
function writtenIn({ path, text }: Document): readonly string[] {
  const written = new RegExp(`\\b(?:${privateInDocuments.join('|')})\\b`, 'gi')
  return text.split('\n').flatMap((line, nth) => {
    return [...line.matchAll(written)].map(([word]) => `${path}:${nth + 1} ${word}`)
  })
}
