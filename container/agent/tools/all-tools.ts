import { askUserTool } from './ask-user.ts'
import { editFileTool } from './edit-file.ts'
import { findFilesTool } from './find-files.ts'
import { listFilesTool } from './list-files.ts'
import { presentPlanTool } from './present-plan.ts'
import { readFileTool } from './read-file.ts'
import { runCommandTool } from './run-command.ts'
import { searchTool } from './search.ts'
import type { Tool } from './tool.ts'
import { updatePlanTool } from './update-plan.ts'
import { writeFileTool } from './write-file.ts'

export const ALL_TOOLS: readonly Tool[] = [
  readFileTool,
  listFilesTool,
  findFilesTool,
  searchTool,
  writeFileTool,
  editFileTool,
  runCommandTool,
  updatePlanTool,
  askUserTool,
  presentPlanTool,
]
