import type { Publication } from '#shared/app/storage.ts'
import { anAccount, call } from '../call.ts'

/** Publishing saved figures into a folder for a team. `publishing/changed` tells how it goes. */
export const publishingCalls = {
  'publishing/read': call(anAccount)<Publication>(),
  /** Lets the person choose the folder, and begins; null where they thought better of it. */
  'publishing/choose-folder': call(anAccount)<Publication | null>(),
  /** Begins to publish, and reads every published file again to see that it is whole. */
  'publishing/start': call(anAccount)<Publication>(),
  /** Forgets the folder. What is published stays there. */
  'publishing/stop': call(anAccount)<Publication>(),
} as const
