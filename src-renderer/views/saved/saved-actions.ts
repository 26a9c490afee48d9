import type { Outcome } from '#shared/api/failure.ts'
import {
  changeView,
  duplicateView,
  refreshView,
  removeView,
  stopRenewing,
  viewsFromFile,
  viewsToFile,
} from '#renderer/queries/saved-views.ts'
import type { WindowApp } from '#renderer/stores/app.ts'
import type { SavedViewState } from '#shared/views/saved-views.ts'

type Needed = Pick<WindowApp, 'bridge' | 'queries' | 'desk' | 'messages' | 'navigation'>

/** Returns the actions on saved views. Results appear as messages, with Undo if possible. */
export function savedActions(app: Needed) {
  const { messages, navigation } = app
  /** Shows the message of a failure and resolves to null; otherwise resolves to the value. */
  async function notify<T>(doing: Promise<Outcome<T>>): Promise<{ readonly value: T } | null> {
    const done = await doing
    if (!done.ok) messages.show(done.failure.message)
    return done.ok ? { value: done.value } : null
  }

  async function pin(view: SavedViewState, pinned: boolean): Promise<void> {
    if (!(await notify(changeView(app, view.id, { pinned })))) return
    const words = pinned ? 'is now saved offline' : 'is no longer saved offline'
    messages.show(`“${view.name}” ${words}.`, { words: 'Undo', run: () => void undoPin(view, !pinned) })
  }

  async function undoPin(view: SavedViewState, pinned: boolean): Promise<void> {
    await notify(changeView(app, view.id, { pinned }))
  }

  async function startWith(view: SavedViewState, start: boolean): Promise<void> {
    if (!(await notify(changeView(app, view.id, { start })))) return
    messages.show(
      start ? `Traffic Desk opens with “${view.name}”.` : 'Traffic Desk opens with the last view.',
    )
  }

  async function duplicate(view: SavedViewState): Promise<void> {
    const copy = await notify(duplicateView(app, view.id))
    if (copy) messages.show(`Saved a copy as “${copy.value.name}”.`)
  }

  async function remove(view: SavedViewState): Promise<void> {
    const undo = await notify(removeView(app, view.id))
    if (!undo) return
    messages.show(`“${view.name}” deleted.`, { words: 'Undo', run: () => void notify(undo.value()) })
  }

  async function toFile(): Promise<void> {
    const written = await notify(viewsToFile(app))
    if (written) messages.show(`Views exported to ${written.value.file} in your Downloads folder.`)
  }

  async function fromFile(): Promise<void> {
    const read = await notify(viewsFromFile(app))
    if (!read || read.value === null) return
    const { added } = read.value
    messages.show(added === 1 ? 'One view added.' : `${added} views added.`)
  }

  return {
    open: (view: SavedViewState) => navigation.open(view.address, 'view'),
    pin,
    startWith,
    duplicate,
    remove,
    refresh: async (view: SavedViewState) => void (await notify(refreshView(app, view.id))),
    stop: async (view: SavedViewState) => void (await notify(stopRenewing(app, view.id))),
    toFile,
    fromFile,
  }
}

export type SavedActions = ReturnType<typeof savedActions>
