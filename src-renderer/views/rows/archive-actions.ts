import type { RowsFile } from '#shared/archives/rows-file.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { plainRows } from '#shared/views/address.ts'
import { chooseArchives, removeRows, importArchive, cancelImport } from '#renderer/queries/archives.ts'
import type { WindowApp } from '#renderer/stores/app.ts'

/** Returns the actions on an account's archives. Failures appear as messages. */
export function archiveActions(app: WindowApp, account: AccountId) {
  const { messages, navigation } = app
  const notify = (failure: Failure | null) => failure && messages.show(failure.message)

  return {
    open: (chosen: readonly RowsFile[]) => navigation.go({ ...plainRows, files: chosen.map(({ id }) => id) }),

    importArchive: async ({ id }: RowsFile) => notify(await importArchive(app, { account, file: id })),

    stop: async ({ id, name }: RowsFile) => {
      const failure = await cancelImport(app, { account, file: id })
      messages.show(failure ? failure.message : `“${name}” was not imported.`)
    },

    /** Deletes rows or their file. Asks for confirmation unless the rows can be imported again. */
    discard: (file: RowsFile, what: 'rows' | 'archive') => {
      if (what === 'rows' && file.archive === 'there') return void discard(file, what)
      const rowsWords =
        file.archive === 'gone'
          ? `Only the rows of “${file.name}” are left: its file is gone.`
          : `The rows of “${file.name}” may be the only copy: its folder doesn't respond.`
      const words =
        what === 'rows'
          ? rowsWords
          : `The file of “${file.name}” will be deleted from its folder. Its rows stay.`
      messages.show(words, { words: 'Delete', run: () => void discard(file, what) })
    },

    /** Opens a file picker, then the rows of the chosen files. */
    choose: async () => {
      const outcome = await chooseArchives(app, account)
      if (!outcome.ok) messages.show(outcome.failure.message)
      else if (outcome.value.length > 0) navigation.go({ ...plainRows, files: outcome.value })
    },
  }

  async function discard(file: RowsFile, what: 'rows' | 'archive'): Promise<void> {
    const failure = await removeRows(app, { account, file: file.id, what })
    if (failure) return messages.show(failure.message)
    if (what === 'archive') return messages.show(`File of “${file.name}” deleted. Its rows stay.`)
    messages.show(
      `Rows of “${file.name}” deleted.`,
      file.archive === 'there'
        ? {
            words: 'Import again',
            run: () => void importArchive(app, { account, file: file.id }).then(notify),
          }
        : undefined,
    )
  }
}

export type ArchiveActions = ReturnType<typeof archiveActions>
