import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../common/failure.mjs'

/** Licences under which a part may be built in: all of them ask for their text to come along, and for nothing else. */
const allowed = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'Zlib',
  'BSL-1.0',
  'PostgreSQL',
  'Unicode-DFS-2015',
  'Unicode-DFS-2016',
]

/**
 * @typedef {{ dev?: boolean, link?: boolean, version?: string, license?: string, integrity?: string, name?: string, os?: readonly string[], optionalDependencies?: object }} Locked
 * @typedef {{ name: string, license: string, copyright: readonly string[], text: string }} Inner what a native part was built with
 * @typedef {{ name: string, version: string, license: string, integrity: string, path: string, texts: readonly string[], holds: readonly Inner[] }} Part
 */

/** npm counts it among what is only built and tested with. Yet it is the largest part of what people install. */
const runtime = 'node_modules/electron'

/** The package that DuckDB's library comes with: one of those for a system each, which all belong to this one. */
const engine = 'node_modules/@duckdb/node-bindings'

/**
 * What the app is made of beside its own sources, as the lock file says it: Electron, and every package but those that
 * only build and test.
 *
 * @param {string} checkout
 * @returns {readonly Part[]} by name; of packages for one system, the texts are those of what they belong to
 */
export function partsOf(checkout) {
  /** @type {{ packages: Record<string, Locked> }} */
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path !== '' && !link && (!dev || path === runtime))
    .map(([path, { version = '', license, integrity = '', name, os }]) => {
      // What is for other systems is not installed here, and the notices are the same everywhere.
      const texts = licenceTexts(join(checkout, os ? dataScopeOf(path, packages) : path))
      return {
        name: name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
        ...{ version, integrity, path, texts },
        holds: path === engine ? duckdbParts() : [],
        // Some say it in their text alone.
        license: license ?? (texts.some((text) => /^(?:The )?MIT License/i.test(text)) ? 'MIT' : 'none'),
      }
    })
    .sort((one, other) => (`${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1))
}

/**
 * The package that one for a system belongs to: it names it among those that it can do without.
 *
 * @param {string} path
 * @param {Record<string, Locked>} packages
 */
function dataScopeOf(path, packages) {
  const name = path.slice('node_modules/'.length)
  return Object.keys(packages).find((each) => name in (packages[each]?.optionalDependencies ?? {})) ?? path
}

/**
 * What DuckDB's library was built with, as far as it is found in it: the list is kept by hand, and a test compares it with the
 * library (docs/decisions/packages.md).
 *
 * @returns {readonly (Inner & { seen: string })[]} `seen`: what of it stands in the library
 */
export function duckdbParts() {
  /** @type {readonly (Omit<Inner, 'text'> & { seen: string, holder?: string })[]} */
  const parts = JSON.parse(readFileSync(join(import.meta.dirname, 'duckdb-parts.json'), 'utf8'))
  return parts.map(({ holder = '', ...part }) => ({
    ...part,
    text: licenceNamed(part.license).replace('{holder}', holder),
  }))
}

/** @param {string} license */
const licenceNamed = (license) =>
  readFileSync(join(import.meta.dirname, 'licences', `${license}.txt`), 'utf8').trim()

/**
 * The parts whose licence is not on the list, with what they were built with.
 *
 * @param {readonly (Pick<Part, 'name' | 'license'> & Partial<Pick<Part, 'holds'>>)[]} parts
 * @returns {readonly string[]} each with its licence
 */
export const foreignLicences = (parts) =>
  parts
    .flatMap((part) => [part, ...(part.holds ?? [])])
    .filter(({ license }) => !allowed.includes(license))
    .map(({ name, license }) => `${name} (${license})`)

/**
 * The notices that come with the app. Packages with the same texts stand together.
 *
 * @param {readonly Part[]} parts
 */
export function noticesOf(parts) {
  const foreign = foreignLicences(parts)
  if (foreign.length > 0) throw new Failure(`These licences are not on the list: ${foreign.join(', ')}.`)
  /** @type {Map<string, string[]>} */
  const byText = new Map()
  const add = (/** @type {string} */ text, /** @type {string} */ name) =>
    byText.set(text, [...(byText.get(text) ?? []), name])
  for (const { name, version, license, texts } of parts) {
    const text =
      texts.length > 0 ? texts.join('\n\n') : `Licence: ${license}. The package comes without its text.`
    add(text, `${name} ${version} (${license})`)
  }
  for (const { name, license, copyright, text } of parts.flatMap(({ holds }) => holds))
    add(text, [`In DuckDB: ${name} (${license})`, ...copyright.map((line) => `  ${line}`)].join('\n'))
  const chapters = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}`)
  const head =
    'Traffic Desk is built with these packages. Electron and Chromium have notices of their own beside the program.'
  return `${[head, ...chapters].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/**
 * The same for programs: a bill of materials (CycloneDX 1.5), the same for the same lock file. Not by `npm sbom`: with
 * `--omit dev` it leaves out what is also needed for building, such as undici and svelte.
 *
 * @param {readonly Part[]} parts
 * @param {string} version of the app
 */
export function billOf(parts, version) {
  const components = parts.map(({ name, version, license, integrity, holds }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
    return {
      type: 'library',
      ...{ 'bom-ref': purl, name, version, purl },
      hashes: [{ alg: 'SHA-512', content }],
      licenses: licensed(license),
      // Which version of each was taken, the library does not say.
      ...(holds.length > 0 && { components: holds.map((each) => innerComponent(each, purl)) }),
    }
  })
  const component = { type: 'application', 'bom-ref': 'traffic-desk', name: 'traffic-desk', version }
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component }, components }
  return `${JSON.stringify(bill, null, 1)}\n`
}

const licensed = (/** @type {string} */ id) => [{ license: { id } }]

const innerComponent = (/** @type {Inner} */ { name, license, copyright }, /** @type {string} */ within) => ({
  ...{ type: 'library', 'bom-ref': `${within}#${name}`, name },
  ...{ licenses: licensed(license), copyright: copyright.join('\n') },
})

/** @param {string} folder of a package */
function licenceTexts(folder) {
  try {
    return readdirSync(folder)
      .filter(
        (name) =>
          /^(?:licen[cs]e|notice|copying|third_party_notices)(?:[.-].*)?$/i.test(name) &&
          !/\.(?:js|json|html)$/.test(name),
      )
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
  } catch {
    return []
  }
}
