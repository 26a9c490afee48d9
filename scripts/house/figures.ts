import type { Code } from './code.ts'
import { importCircles } from './imports.ts'
import * as shape from './shape.ts'
import * as sizes from './sizes.ts'
import { otherDiscriminants } from './unions.ts'
import * as window from './window.ts'

/** What a figure comes to: its number, and the places that are counted, where there are any to show. */
export type Count = { readonly figure: number; readonly places: readonly string[] }

/**
 * A figure of the house. Of shape none may become worse than it is recorded, or than what is to reach once that is reached;
 * sizes are shown alone.
 */
export type Figure = {
  readonly name: string
  /** What is counted, in one line. */
  readonly rule: string
  readonly of: 'shape' | 'size'
  readonly better: 'less' | 'more'
  readonly reach: number
  readonly count: (code: Code) => Count
}

type Counter = (code: Code) => readonly string[] | number

/** Names, rules and what is to be reached, in the order in which they are shown. @param root the folder of the packages */
export function figuresOf(root: string): readonly Figure[] {
  const less = (of: Figure['of'], name: string, reach: number, rule: string, counter: Counter): Figure => ({
    ...{ name, rule, of, better: 'less', reach },
    count: (code) => countOf(counter(code)),
  })
  const shaped = less.bind(null, 'shape')
  const sized = less.bind(null, 'size')
  return [
    sized(
      'files',
      680,
      'TypeScript and components under src-main, src-renderer, src-shared',
      ({ sources }) => sources.length,
    ),
    sized('lines', 80_000, 'of those files', ({ sources }) => sizes.lines(sources)),
    shaped('long functions', 0, 'functions over 80 lines, from their first to their last', ({ sources }) =>
      shape.longFunctions(sources),
    ),
    shaped('many parameters', 0, 'functions and constructors with more than five parameters', ({ sources }) =>
      shape.manyParameters(sources),
    ),
    shaped('picks', 150, '`Pick` of a type in the main process', ({ sources }) => shape.picks(sources)),
    shaped(
      'names twice',
      0,
      'exported types and classes whose name is exported by another file too',
      ({ sources }) => shape.namesTwice(sources),
    ),
    shaped('events by property', 0, "`'x' in event`, or in a message or a change", ({ sources }) =>
      shape.eventsByProperty(sources),
    ),
    shaped(
      'ways to notify',
      1,
      'in the main process without lib and workers: names of callbacks for it (emit, notify, on…, …Changed), and lists of listeners',
      ({ sources }) => shape.waysToNotify(sources),
    ),
    shaped('back-offs', 1, 'functions that double a pause, or spread it by chance', ({ sources }) =>
      shape.backOffs(sources),
    ),
    shaped(
      'queues and limiters',
      3,
      'declarations called …Queue, Mutex, Semaphore, …Pace, inTurn and the like, and chains of promises made by hand',
      ({ sources }) => shape.limiters(sources),
    ),
    shaped(
      'job kinds',
      1,
      'types of src-shared that say how far work is: `got`, or `done` with `total`, `of` or `offer`',
      ({ sources }) => shape.jobKinds(sources),
    ),
    shaped(
      'thread protocols',
      1,
      'places that begin a thread, since each has a protocol of its own',
      ({ sources }) => shape.threadProtocols(sources),
    ),
    shaped('HTTP stacks', 1, 'packages and sockets that the main process has clients from', ({ sources }) =>
      shape.httpStacks(sources),
    ),
    shaped('SQL layers', 1, 'folders that import DuckDB', ({ sources }) => shape.sqlLayers(sources)),
    shaped(
      'discriminants',
      0,
      'unions of objects told apart by another property than `kind`, outcomes left out, and variants of schemas',
      ({ sources }) => otherDiscriminants(sources, root),
    ),
    shaped('untrack', 40, 'calls in the window', ({ sources }) => window.untracked(sources)),
    shaped('bridge.on', 10, 'calls in the window', ({ sources }) => window.bridgeListeners(sources)),
    shaped('calls in components', 20, '`bridge.call` in components', ({ sources }) =>
      window.callsInComponents(sources),
    ),
    shaped('asking classes', 1, 'classes of the window with `bridge.call` and `bridge.on`', ({ sources }) =>
      window.askingClasses(sources),
    ),
    shaped('import circles', 0, 'groups of files that import each other, types included', ({ sources }) =>
      importCircles(sources),
    ),
    {
      ...{ name: 'tests named', of: 'shape', better: 'more', reach: 90 },
      rule: 'unit tests with the name and the path of their source, or with one thing of it after its name (client.faults.test.ts), in percent',
      count: (code) => ({ figure: sizes.testsNamed(code), places: sizes.testsWithoutSource(code) }),
    },
  ]
}

const countOf = (counted: readonly string[] | number): Count =>
  typeof counted === 'number' ? { figure: counted, places: [] } : { figure: counted.length, places: counted }

/** Whether a figure is what is to be reached, or better. */
export const isReached = ({ better, reach }: Figure, figure: number): boolean =>
  better === 'less' ? figure <= reach : figure >= reach

/** The worst that a figure may be: as recorded, and once what is to reach is reached, that. */
export function limitOf(figure: Figure, recorded: number): number {
  return isReached(figure, recorded) ? figure.reach : recorded
}

/** Figures of shape that are worse than they may be, in words. @param recorded the last figures, by name */
export function worseFigures(
  figures: readonly Figure[],
  counts: ReadonlyMap<string, Count>,
  recorded: Readonly<Record<string, number>>,
): readonly string[] {
  return figures.flatMap((figure) => {
    const now = counts.get(figure.name)?.figure
    const before = recorded[figure.name]
    if (figure.of === 'size' || now === undefined || before === undefined) return []
    const limit = limitOf(figure, before)
    const isWorse = figure.better === 'less' ? now > limit : now < limit
    return isWorse ? [`${figure.name}: ${now}, and may be ${limit} (npm run house -- ${figure.name})`] : []
  })
}
