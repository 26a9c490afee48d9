import type { Scene } from '../stage.ts'
import { around, watched } from './around.ts'
import { charts } from './charts.ts'
import { earlier } from './earlier.ts'
import { firstSteps } from './first-steps.ts'
import { overview } from './overview.ts'
import { downloads } from './downloads.ts'
import { rawForm } from './raw-form.ts'
import { rawList, rawMany, rawQueue, rawStates } from './raw.ts'
import { reports } from './reports.ts'
import { rows } from './rows.ts'
import { endings, states } from './states.ts'
import { updates } from './updates.ts'

/** Every scene, in the order in which they are set. */
export const scenes: readonly Scene[] = [
  ...firstSteps,
  ...overview,
  ...reports,
  ...charts,
  ...around,
  ...updates,
  ...rawList,
  ...rawForm,
  ...rawQueue,
  ...rawStates,
  ...downloads,
  ...rows,
  ...watched,
  ...states,
  ...rawMany,
  ...earlier,
  ...endings,
]
