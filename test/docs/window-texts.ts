import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'svelte/compiler'
import ts from 'typescript'

const root = join(import.meta.dirname, '..', '..')
export const read = (file: string): string => readFileSync(join(root, file), 'utf8')
export const filesOf = (...patterns: string[]): string[] => globSync(patterns, { cwd: root }).toSorted()
export const components = filesOf('src-renderer/**/*.svelte')

/** Stands for a value in a text, which is no word of ours. */
const gap = ' … '

/** Returns the texts of a module, without its imports and the names of members and of kinds. */
export function textsOfModule(file: string): string[] {
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || ts.isCaseClause(node)) {
      if (ts.isCaseClause(node)) node.statements.forEach(visit)
      return
    }
    if (ts.isBinaryExpression(node)) {
      if (/^[=!]==$/.test(node.operatorToken.getText())) return
      const joined = joinedText(node)
      if (joined !== null) return void texts.push(joined)
    }
    if (ts.isStringLiteralLike(node) && !/^\p{Ll}+-[\p{L}\d-]+$/u.test(node.text)) texts.push(node.text)
    if (ts.isTemplateExpression(node)) texts.push(templateText(node))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true))
  return texts
}

const templateText = ({ head, templateSpans }: ts.TemplateExpression): string =>
  [head.text, ...templateSpans.map(({ literal }) => literal.text)].join(gap)

/** Returns literals that `+` joins as one text; null for other sums. */
function joinedText(node: ts.Expression): string | null {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node)) return templateText(node)
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null
  const [left, right] = [joinedText(node.left), joinedText(node.right)]
  return left === null || right === null ? null : left + right
}

const spoken = new Set([
  'label',
  'title',
  'aria-label',
  'placeholder',
  'hint',
  'name',
  'words',
  'offlineTitle',
])
/** Elements inside a sentence. */
const inline = new Set(['a', 'bdi', 'code', 'em', 'kbd', 'span', 'strong', 'time'])

type Shape = { readonly type?: string; readonly [member: string]: unknown }
const isShape = (value: unknown): value is Shape => typeof value === 'object' && value !== null
const isCode = (value: unknown): boolean => isShape(value) && !Array.isArray(value)

/** Returns the texts of a component: what its markup shows, what its attributes say, and sentences in its code. */
export function textsOfComponent(file: string): string[] {
  const texts: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (!isShape(node) || node.type === 'ImportDeclaration' || node.type?.startsWith('TS')) return
    if (node.type === 'Fragment' && Array.isArray(node['nodes'])) return visitMarkup(node['nodes'])
    if (node.type === 'Text' && typeof node['data'] === 'string') texts.push(node['data'])
    if (node.type === 'Literal' && typeof node['value'] === 'string') pushSentence(node['value'])
    if (node.type === 'TemplateLiteral' && Array.isArray(node['quasis']))
      pushSentence(node['quasis'].map(cookedText).join(gap))
    if (node.type === 'Attribute' && !spoken.has(String(node['name'])) && !isCode(node['value'])) return
    for (const [member, value] of Object.entries(node)) if (member !== 'css') visit(value)
  }
  const pushSentence = (text: string): void => {
    if (isSentence(text)) texts.push(text)
  }
  /** A sentence goes on through values and inline elements, and ends at any other element or block. */
  const visitMarkup = (nodes: readonly unknown[]): void => {
    let text = ''
    const end = (): void => {
      if (text !== '') texts.push(text)
      text = ''
    }
    const walk = (node: unknown): void => {
      if (!isShape(node)) return
      if (node.type === 'Text') text += String(node['data'])
      else if (node.type === 'ExpressionTag') {
        text += gap
        visit(node['expression'])
      } else if (
        node.type === 'RegularElement' &&
        inline.has(String(node['name'])) &&
        isShape(node['fragment'])
      ) {
        visit(node['attributes'])
        if (Array.isArray(node['fragment']['nodes'])) node['fragment']['nodes'].forEach(walk)
      } else {
        end()
        visit(node)
      }
    }
    nodes.forEach(walk)
    end()
  }
  const { fragment, instance, module } = parse(read(file), { modern: true })
  visit([fragment, instance, module])
  return texts
}

const cookedText = (quasi: unknown): string =>
  isShape(quasi) && isShape(quasi['value']) ? String(quasi['value']['cooked']) : ''

/** Names of kinds, keys and classes are written small or as one word, and without a space. */
const isSentence = (text: string): boolean =>
  /^\s*[\p{Lu}“].*\p{Ll}|\p{Ll} \p{Ll}.*[.…]$/su.test(text) && !/^\p{Lu}\p{Ll}+\p{Lu}\p{L}*$/u.test(text)
