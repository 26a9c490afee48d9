import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openDesk } from '../../../src-main/desk.ts'
import { createDeskShell } from '../../../src-main/shell/desk-shell.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'
import type { SavedViewState } from '../../../src-shared/views/saved.ts'
import { temporaryFolder } from '../store/helpers.ts'

const sources = resolve(import.meta.dirname, '../../../src-main')
