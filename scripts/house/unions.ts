import { relative, resolve } from 'node:path'
import ts from 'typescript'
import { importedFile } from '../common/aliases.mjs'
import { placeOf, walk } from './code.ts'
import type { Source } from './code.ts'

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  allowNonTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
}

/** Where the one union stands that is told apart by `ok`: what calls of the bridge end with. */
const OUTCOME = 'src-shared/api/failure.ts'

/**
 * Unions of objects that are told apart by a property other than `kind`: written ones, and those that a schema of Valibot
 * makes. A union is counted where it is written; parts of it that have their own name are counted there too. Outcomes are not.
 * @param root the folder of the packages
 */
export function otherDiscriminants(sources: readonly Source[], root: string): readonly string[] {
  const checker = programOf(sources, root).getTypeChecker()
  return sources.flatMap((source) => {
    const places: string[] = []
    walk(source, (node) => {
      const found = variantKey(node) ?? (isUnion(node) ? discriminants(node, checker) : [])
      if (found.length > 0 && !found.includes('kind')) places.push(placeOf(source, node, found.join(', ')))
    })
    return places
  })
}

const isUnion = (node: ts.Node): node is ts.TypeNode =>
  ts.isUnionTypeNode(node) || (ts.isTypeReferenceNode(node) && /^v\.Infer/.test(node.typeName.getText()))

/** The key of `v.variant(key, …)`; undefined for every other node. */
function variantKey(node: ts.Node): readonly string[] | undefined {
  if (!ts.isCallExpression(node) || node.expression.getText() !== 'v.variant') return undefined
  const [key] = node.arguments
  return key && ts.isStringLiteral(key) ? [key.text] : []
}

/** Properties that every object of a union has, with literals that differ. */
function discriminants(node: ts.TypeNode, checker: ts.TypeChecker): readonly string[] {
  const type = checker.getTypeFromTypeNode(node)
  if (!type.isUnion()) return []
  const objects = type.types.filter((each) => isPlainObject(each, checker))
  const [first, ...others] = objects
  if (!first || others.length === 0) return []
  return first.getProperties().flatMap(({ name }) => {
    const types = objects.map((each) => literalsOf(each, name, checker))
    const values = new Set(types)
    return values.has(undefined) || values.size < 2 ? [] : [name]
  })
}

/** An object, or several as one; a text or a number with a brand is none. */
const isPlainObject = (type: ts.Type, checker: ts.TypeChecker): boolean =>
  (type.isIntersection() ? type.types : [type]).every(({ flags }) => (flags & ts.TypeFlags.Object) !== 0) &&
  !checker.isArrayType(type) &&
  !checker.isTupleType(type) &&
  type.getCallSignatures().length === 0

/** The literals of a property, as one text; undefined where it has none, or is not always there. */
function literalsOf(type: ts.Type, name: string, checker: ts.TypeChecker): string | undefined {
  const property = type.getProperty(name)
  if (!property || (property.flags & ts.SymbolFlags.Optional) !== 0 || isOfOutcome(property)) return undefined
  const value = checker.getTypeOfSymbol(property)
  const parts = value.isUnion() ? value.types : [value]
  const isLiteral = parts.every(({ flags }) => (flags & ts.TypeFlags.Literal) !== 0)
  return isLiteral ? checker.typeToString(value, undefined, ts.TypeFormatFlags.NoTruncation) : undefined
}

const isOfOutcome = ({ name, declarations }: ts.Symbol): boolean =>
  name === 'ok' && declarations?.[0]?.getSourceFile().fileName.endsWith(OUTCOME) === true

/** A program of the sources as they were parsed; of packages only the schemas' is read. */
function programOf(sources: readonly Source[], root: string): ts.Program {
  const host = ts.createCompilerHost(options, true)
  const own = new Map(sources.map(({ path, tree }) => [resolve(root, path), tree]))
  const { getSourceFile, fileExists } = host
  host.getSourceFile = (file, ...rest) => own.get(file) ?? getSourceFile(file, ...rest)
  host.fileExists = (file) => own.has(file) || fileExists(file)
  host.resolveModuleNameLiterals = (literals, containing) =>
    literals.map(({ text }) => {
      if (text === 'valibot') return ts.resolveModuleName(text, containing, options, host)
      const path = importedFile(relative(root, containing), text)
      const file = path === undefined ? undefined : resolve(root, path)
      if (file === undefined || !own.has(file)) return { resolvedModule: undefined }
      return { resolvedModule: { resolvedFileName: file, extension: ts.Extension.Ts } }
    })
  return ts.createProgram([...own.keys()], options, host)
}
