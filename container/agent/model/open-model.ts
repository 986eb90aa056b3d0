import type { Configuration } from '../configuration.ts'
import { anthropicModel } from './anthropic.ts'
import { contextWindowOf } from './context-window.ts'
import type { Model } from './model.ts'
import { openAiChatModel } from './openai-chat.ts'
import { openAiResponsesModel } from './openai-responses.ts'

/** A model of the configuration's provider; nothing is sent yet. */
export function openModel(configuration: Configuration, model: string): Model {
  const { provider, openAiApi, baseUrl, apiKey } = configuration
  const contextWindow = configuration.contextWindow ?? contextWindowOf(model)
  const options = { model, baseUrl, apiKey, contextWindow }
  if (provider === 'anthropic') return anthropicModel(options)
  return openAiApi === 'chat' ? openAiChatModel(options) : openAiResponsesModel(options)
}
