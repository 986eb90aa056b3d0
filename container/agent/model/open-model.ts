import type { Configuration } from '../configuration.ts'
import { anthropicModel } from './anthropic.ts'
import { contextWindowOf } from './context-window.ts'
import type { Model } from './model.ts'
import { openAiChatModel } from './openai-chat.ts'

/** The model the configuration names; nothing is sent yet. */
export function openModel(configuration: Configuration): Model {
  const { provider, model, baseUrl, apiKey } = configuration
  const contextWindow = configuration.contextWindow ?? contextWindowOf(model)
  const options = { model, baseUrl, apiKey, contextWindow }
  return provider === 'anthropic' ? anthropicModel(options) : openAiChatModel(options)
}
