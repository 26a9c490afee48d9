import type { Case } from '#shared/cases/case.ts'
import type { RowsFile } from '#shared/archives/rows-file.ts'
import type { StoredNames } from '#shared/bridge/calls.ts'
import type { Day } from '#shared/values/day.ts'
import { subjectWords } from '#shared/texts/notes.ts'
import { placeOfNote } from '#shared/watch/notes.ts'
import type { DayNote } from '#shared/watch/notes.ts'
import { plainRows } from '#shared/views/address.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import type { WindowApp } from '../../stores/app.ts'
import { days, moment } from '../formats.ts'
import { likelyNow } from './entries.ts'
import { EntryIndex } from './find.ts'
import type { PaletteEntry, Found } from './find.ts'
import { wordsOf } from './match.ts'
import { NameIndex } from './names.ts'
import { phraseEntries } from './phrase-entries.ts'
import { phraseWords, readPhrase } from './phrase.ts'
import { recentEntries } from './recent.ts'

/** Lists of an account that are loaded for the palette. */
export type KnownLists = {
  readonly names: StoredNames
  readonly archives: readonly Pick<RowsFile, 'id' | 'name'>[]
  readonly cases: readonly Pick<Case, 'id' | 'begunAt' | 'entry'>[]
  readonly notes: readonly DayNote[]
}

export const noNames: StoredNames = { instances: [], names: {} }

/** Search of the palette. The entries are fixed while the palette is open, so that no entry moves. */
export class PaletteSearch {
  readonly #app: WindowApp
  readonly #today: Day
  readonly #entries: readonly PaletteEntry[]
  readonly #index: EntryIndex
  readonly #names: NameIndex

  /** @param entries entries that need no lists (entries.ts) */
  constructor(
    app: WindowApp,
    today: Day,
    entries: readonly PaletteEntry[],
    { names, archives, cases, notes }: KnownLists,
  ) {
    this.#app = app
    this.#today = today
    this.#entries = [
      ...[...entries, ...archiveEntries(app, archives), ...caseEntries(app, cases)],
      ...noteEntries(app, notes),
    ]
    this.#names = new NameIndex(names)
    this.#index = new EntryIndex(this.#entries, phraseWords, this.#names.vocabulary)
  }

  /** Text to look up at the service: the words that a phrase does not use, as typed; all of them if none is left. */
  nameIn(text: string): string {
    const { name } = readPhrase(wordsOf(text), this.#today)
    const left = new Set(name)
    const typed = readTyped(text, 'search')
    const words = typed.split(' ')
    const named = words.filter((word) => wordsOf(word).some((part) => left.has(part)))
    return named.length > 0 ? named.join(' ') : typed
  }

  /** Days of a phrase, which limit the look-up of sources; null if it names none. */
  periodIn(text: string) {
    return readPhrase(wordsOf(text), this.#today).period
  }

  /** @param found names that the service found for `nameIn` */
  find(text: string, storage: Storage, found: StoredNames): readonly Found[] {
    const recent = recentEntries(storage, this.#app, this.#entries)
    const typed = wordsOf(text)
    if (typed.length === 0) return this.#index.unsearched(recent, likelyNow(this.#app))
    const used = recent.map(({ id }) => id)
    return this.#index.searched(typed, used, (words) => [
      ...addressEntry(this.#app, text),
      ...this.#said(words, found),
    ])
  }

  #said(typed: readonly string[], found: StoredNames): readonly PaletteEntry[] {
    const phrase = readPhrase(typed, this.#today)
    return phraseEntries(this.#app, phrase, typed, { index: this.#names, byService: found }, this.#today)
  }
}

function archiveEntries({ navigation }: WindowApp, archives: KnownLists['archives']): PaletteEntry[] {
  return archives.map(({ id, name }) => ({
    id: `archive:${id}`,
    ...{ group: 'Archives', words: name, note: 'Open rows' },
    also: [`rows ${name}`, `archive ${name}`, `raw report ${name}`],
    run: () => navigation.go({ ...plainRows, files: [id] }),
  }))
}

function caseEntries({ navigation, clock }: WindowApp, cases: KnownLists['cases']): PaletteEntry[] {
  return cases.map(({ id, begunAt, entry: { name, subject } }) => ({
    id: `case:${id}`,
    ...{ group: 'Cases', words: name, note: `Started ${moment(begunAt, clock.now)}` },
    also: [`case ${name}`, `case ${subject}`, `evidence ${subject}`],
    run: () => navigation.go({ kind: 'cases', id }),
  }))
}

/** Notes, the newest days first. Each leads to its days in the view that shows the note. */
function noteEntries({ navigation }: WindowApp, notes: KnownLists['notes']): PaletteEntry[] {
  return notes.toReversed().map((note) => ({
    id: `note:${note.id}`,
    ...{ group: 'Notes', words: note.text, note: days(note.range) },
    // Short phrases, because there may be thousands of notes.
    also: ['note', subjectWords(note.subject)],
    run: () => navigation.go(placeOfNote(note)),
  }))
}

/** An IP address, or its first two or more parts. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){1,3}\.?|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})$/i

/** Entry that searches all archives for an IP address. */
function addressEntry({ navigation }: WindowApp, text: string): PaletteEntry[] {
  const search = readTyped(text, 'code')
  if (!ADDRESS.test(search) || search.replaceAll(/[:.]/g, '').length < 2) return []
  return [
    {
      id: `search:${search}`,
      ...{ group: 'Search', words: `Search all archives for ${search}`, fit: 1 },
      run: () => navigation.go({ ...plainRows, search }),
    },
  ]
}
