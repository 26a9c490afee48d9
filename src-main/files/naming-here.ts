import { closeSync, linkSync, lstatSync, openSync, renameSync, unlinkSync } from 'node:fs'
import { syncFolder } from '#main/lib/sync-folder.ts'
import type { NamingCalls } from './publish.ts'

/** Naming without leaving the thread: for one of its own that may wait for the disk as long as it takes. */
export const namingHere: NamingCalls = {
  lstat: async (path) => lstatSync(path),
  link: async (from, to) => linkSync(from, to),
  rename: async (from, to) => renameSync(from, to),
  unlink: async (path) => unlinkSync(path),
  create: async (path) => closeSync(openSync(path, 'wx')),
  syncFolder: async (folder) => syncFolder(folder),
}
