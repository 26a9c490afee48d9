/**
 * A private word, and what takes its place in the glossary. How it is found: as some words of a name or a file's name in a row
 * (`part`), as a name, with its capitals (`whole`), as the last word of a file's name (`file`), or as a folder or a file (`path`).
 */
export type PrivateWord = {
  readonly word: string
  readonly becomes: string
  readonly as: 'part' | 'whole' | 'file' | 'path'
  /** Folders in which it is private; everywhere where this is missing. */
  readonly under?: readonly string[]
}

const all = (as: PrivateWord['as'], becomes: string, ...words: readonly string[]): readonly PrivateWord[] =>
  words.map((word) => ({ word, becomes, as }))

const under = (folder: string, words: readonly PrivateWord[]): readonly PrivateWord[] =>
  words.map((word) => ({ ...word, under: [folder] }))

/** The words that the code does without, each once (docs/glossary.md has those it uses). */
export const privateWords: readonly PrivateWord[] = [
  ...all('part', 'accounts', 'book'),
  ...all('part', 'force', 'by hand'),
  ...all('part', 'save, store, cache', 'keep', 'keeps', 'keeping', 'kept'),
  ...all('part', 'delete', 'let go'),
  ...all('part', 'request, params', 'asked'),
  ...all('part', 'result, handler', 'answered'),
  ...all('part', 'column, facts, row', 'told', 'told of'),
  ...all('part', 'on…', 'hear', 'heard'),
  ...all('part', 'emit, showNotice', 'tell', 'say', 'raise'),
  ...all('part', 'verified', 'soundly', 'looked'),
  ...all('part', 'MissingFilesError', 'lacking'),
  ...all('path', 'async.ts', 'src-main/lib/waiting.ts'),
  ...all('whole', 'Semaphore', 'Places'),
  ...all('whole', 'Timer', 'Alarm'),
  ...all('part', 'SlowFolderGuard', 'folder looks'),
  ...all('part', 'ArchiveLocator', 'whereabouts'),
  ...all('part', 'AutoImport', 'by itself'),
  ...all('part', 'ArchiveImport', 'one reading'),
  ...all('part', 'lenient parser', 'careful'),
  ...all('part', 'attempts, failedTries, maxBytes', 'course', 'in vain', 'furthest'),
  ...all('part', 'classifyError', 'verdict'),
  ...all('part', 'probeProxy', 'knock'),
  ...all('whole', 'addressScope', 'reach'),
  ...all('part', 'gone with the library', 'lean body', 'lean head'),
  ...all('part', 'ExportList', 'ledger'),
  ...all('part', 'diagnostics', 'tally'),
  ...all('part', 'backup', 'take over', 'figures along', 'forget in copy'),
  ...all('part', 'PollState, applyOutcome, resolve', 'outlook', 'heed', 'settle'),
  ...all('part', 'matchAgainstList, searching, unknown', 'among', 'looking', 'unclear'),
  ...under('src-renderer', all('part', 'query', 'inquiry', 'inquire')),
  ...under('src-renderer', all('whole', 'Query', 'Question')),
  ...all('whole', 'kind', 'showing', 'found', 'as'),
  ...all('part', 'useQuery', 'ask while shown', 'inquire while shown'),
  ...all('part', 'prefetch', 'head start', 'first answers'),
  ...all('part', 'GridController, GridActions', 'grid hands', 'grid deeds'),
  ...all('part', 'app', 'of desk', 'open desk'),
  ...all('path', 'app/', 'src-main/desk/'),
  ...all('path', 'reports/', 'src-main/figures/'),
  ...all('path', 'archives/', 'src-main/rows/'),
  ...all('path', 'requests/, polling/', 'src-main/raw/asking/', 'src-main/raw/watching/'),
  ...all('path', 'saved-views/', 'src-main/views/'),
  ...all('path', 'components/, stores/', 'src-renderer/parts/', 'src-renderer/state/'),
  ...all('file', 'a catalogue of texts', 'words'),
  ...all('whole', 'max…, min…', 'most', 'least'),
  ...all('part', 'concurrency', 'at once'),
  ...all('part', 'debounceMs, …TimeoutMs', 'soon', 'quiet for'),
  ...all('whole', 'a noun', 'each', 'of', 'at'),
  ...all('part', 'suspended filters, filter changes, breadcrumbs', 'aside', 'moves', 'trail'),
  ...all('part', 'inline', 'apart', 'painted', 'grip'),
  ...all('part', 'busyTimeout', 'patience'),
]

/** Words that no document for engineers needs either: they have no plain meaning that would be meant. */
export const privateInDocuments: readonly string[] = [
  ...[
    'kept',
    'let go',
    'lets go',
    'soundly',
    'whereabouts',
    'ledger',
    'outlook',
    'by hand',
    'heed',
    'heeded',
  ],
  ...['whoever', 'what is dear', 'take-over', 'taken over', 'read in', 'lean body', 'head start'],
]
