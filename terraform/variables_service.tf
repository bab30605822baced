# The models, scale, access and alerts.

variable "gemini_secret" {
  description = "ID of a Secret Manager secret of this project that holds an auth key of the Gemini API, AQ.…, of a project with billing (printf %s \"$KEY\" | gcloud secrets create ID --data-file=-). Empty means Vertex AI, which needs no key. The key itself never passes through Terraform or its state."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{0,255}$", var.gemini_secret))
    error_message = "gemini_secret must be a secret's ID (letters, digits, hyphens, underscores), neither its path nor the key."
  }
}

variable "vertex_location" {
  description = "Where models of Vertex AI process photos: eu or us, a region such as europe-west4, or global. global means anywhere in the world, with the fewest refusals for capacity; the flex tier needs it. Not every location has every model: scripts/deploy refuses those that lack one. You decide, so there is no default; with gemini_secret it is not used."
  type        = string
  nullable    = false

  validation {
    condition     = contains(["global", "us", "eu"], var.vertex_location) || can(regex("^[a-z]+-[a-z]+[0-9]+$", var.vertex_location))
    error_message = "vertex_location must be global, us, eu or a region such as europe-west1."
  }
}

variable "embedding_location" {
  description = "Location of Vertex AI for embeddings; empty means vertex_location."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = contains(["", "global", "us", "eu"], var.embedding_location) || can(regex("^[a-z]+-[a-z]+[0-9]+$", var.embedding_location))
    error_message = "embedding_location must be global, us, eu, a region such as europe-west1, or empty for vertex_location."
  }
}

variable "speech_location" {
  description = "Location of Vertex AI for speech, which gets the words of forecasts and never a photo; empty means vertex_location, and text alone if speech_model is not there. The models for speech are at global alone."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = contains(["", "global", "us", "eu"], var.speech_location) || can(regex("^[a-z]+-[a-z]+[0-9]+$", var.speech_location))
    error_message = "speech_location must be global, us, eu, a region such as europe-west1, or empty for vertex_location."
  }
}

variable "event_tier" {
  description = "Service tier of model calls for uploads, batches and discoveries: standard, or flex, which costs half and takes longer. On Vertex AI flex needs vertex_location global."
  type        = string
  default     = "standard"
  nullable    = false

  validation {
    condition     = contains(["standard", "flex"], var.event_tier)
    error_message = "event_tier must be standard or flex."
  }
  validation {
    condition     = var.event_tier != "flex" || var.gemini_secret != "" || var.vertex_location == "global"
    error_message = "event_tier flex needs vertex_location global, or gemini_secret: only the global endpoint of Vertex AI has it."
  }
}

variable "web_search" {
  description = "Searches the web, which Google charges, for what neither photo nor catalogue identify."
  type        = bool
  default     = true
  nullable    = false
}

variable "keep_thumbnails" {
  description = "Keeps the thumbnail that a photo is sent with over HTTP, or of a doubtful result a small picture made here, and the name of its file, with its result; they are gone with it."
  type        = bool
  default     = true
  nullable    = false
}

variable "search_with_schema" {
  description = "Combines the web search and the structuring of its answer in one call. Only Gemini 3 on the Gemini API can do this, so it needs gemini_secret."
  type        = bool
  default     = false
  nullable    = false

  validation {
    condition     = !var.search_with_schema || var.gemini_secret != ""
    error_message = "search_with_schema needs gemini_secret: Vertex AI takes no schema with a search."
  }
}

variable "image_model" {
  description = "Model that reads photos."
  type        = string
  default     = "gemini-3.5-flash-lite"
  nullable    = false

  validation {
    condition     = startswith(var.image_model, "gemini-")
    error_message = "image_model must be a Gemini model; emulated ones are refused on Cloud Run."
  }
}

variable "judge_model" {
  description = "Model that judges and searches."
  type        = string
  default     = "gemini-3.6-flash"
  nullable    = false

  validation {
    condition     = startswith(var.judge_model, "gemini-")
    error_message = "judge_model must be a Gemini model; emulated ones are refused on Cloud Run."
  }
}

variable "image_thinking" {
  description = "How much the model thinks before it reads a photo: minimal, low, medium or high. Thoughts are paid as output."
  type        = string
  default     = "minimal"
  nullable    = false

  validation {
    condition     = contains(["minimal", "low", "medium", "high"], var.image_thinking)
    error_message = "image_thinking must be minimal, low, medium or high."
  }
}

variable "judge_thinking" {
  description = "How much the model thinks before it judges: minimal, low, medium or high."
  type        = string
  default     = "low"
  nullable    = false

  validation {
    condition     = contains(["minimal", "low", "medium", "high"], var.judge_thinking)
    error_message = "judge_thinking must be minimal, low, medium or high."
  }
}

variable "search_thinking" {
  description = "How much the model thinks before it searches the web and structures the answer: minimal, low, medium or high."
  type        = string
  default     = "low"
  nullable    = false

  validation {
    condition     = contains(["minimal", "low", "medium", "high"], var.search_thinking)
    error_message = "search_thinking must be minimal, low, medium or high."
  }
}

variable "currency" {
  description = "The currency of the shop's prices whose file names none, as EUR; empty means that each import says it."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^([A-Z]{3})?$", var.currency))
    error_message = "currency must be a code of ISO 4217, as EUR, or empty."
  }
}

variable "search_shop" {
  description = "The shop to search if a request names none; empty means shop."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = trimspace(var.search_shop) == var.search_shop
    error_message = "search_shop must name a shop, without spaces around it, or be empty."
  }
}

variable "search_model" {
  description = "The model that interprets queries; empty means image_model."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.search_model == "" || startswith(var.search_model, "gemini-")
    error_message = "search_model must be a Gemini model, or be empty; emulated ones are refused on Cloud Run."
  }
}

variable "search_vocabulary" {
  description = "The file with the facets of the shops' domain, gs://bucket/object; empty means eyewear."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.search_vocabulary == "" || startswith(var.search_vocabulary, "gs://")
    error_message = "search_vocabulary must be gs://bucket/object, or empty."
  }
}

variable "shop_facts" {
  description = "The file of Markdown that questions are answered with, gs://bucket/object; empty means the notes on eyewear."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.shop_facts == "" || startswith(var.shop_facts, "gs://")
    error_message = "shop_facts must be gs://bucket/object, or empty."
  }
}

variable "image_media_resolution" {
  description = "Media resolution (tokens) of a photo for reading: low, medium or high; empty means the model's default."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = contains(["", "low", "medium", "high"], var.image_media_resolution)
    error_message = "image_media_resolution must be low, medium or high, or empty."
  }
}

variable "judge_media_resolution" {
  description = "Media resolution (tokens) of a photo for judging and searching: low, medium or high; empty means the model's default."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = contains(["", "low", "medium", "high"], var.judge_media_resolution)
    error_message = "judge_media_resolution must be low, medium or high, or empty."
  }
}

variable "log_level" {
  description = "The log level: debug, info, warn or error. Debug logs every attempt of a model call."
  type        = string
  default     = "info"
  nullable    = false

  validation {
    condition     = contains(["debug", "info", "warn", "error"], var.log_level)
    error_message = "log_level must be debug, info, warn or error."
  }
}

variable "agents" {
  description = "The agents besides analyze: search, forecast, discover. An agent that is left out has no routes, indexes, permissions or secrets."
  type        = set(string)
  default     = ["search", "forecast", "discover"]
  nullable    = false

  validation {
    condition     = length(setsubtract(var.agents, ["search", "forecast", "discover"])) == 0
    error_message = "agents may be search, forecast and discover; analyze is always there."
  }
}

variable "openweather_secret" {
  description = "The Secret Manager secret that holds the key of OpenWeather. Without it there are no forecasts."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{0,255}$", var.openweather_secret))
    error_message = "openweather_secret must be a secret's ID (letters, digits, hyphens, underscores), neither its path nor the key."
  }
}

variable "openweather_calls_per_minute" {
  description = "How many calls a minute the key of OpenWeather has. The instances of api and task, at most as many as scale allows, divide them."
  type        = number
  default     = 60
  nullable    = false

  validation {
    condition     = var.openweather_calls_per_minute >= var.scale.api.max_instances + var.scale.task.max_instances
    error_message = "openweather_calls_per_minute must leave each instance of api and task one call: lower their max_instances in scale, or take a plan of OpenWeather with more calls and raise this."
  }
}

variable "brave_secret" {
  description = "The Secret Manager secret that holds the key of Brave Search. Without it discoveries read the portals of official publishers only."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{0,255}$", var.brave_secret))
    error_message = "brave_secret must be a secret's ID (letters, digits, hyphens, underscores), neither its path nor the key."
  }
}

variable "discovery" {
  description = "Limits and pace of a discovery, how many calls it makes side by side, where all discoveries look, the portals (gs://bucket/object; + before it: besides those of whatis), and the address of a SearXNG instance to search instead of Brave. docs/discovering.md explains each."
  type = object({
    max_iterations    = optional(number, 6)
    max_calls         = optional(number, 250)
    max_usd           = optional(number, 2)
    queries_per_cycle = optional(number, 5)
    results_per_query = optional(number, 10)
    actions_per_dive  = optional(number, 3)
    dives_in_a_row    = optional(number, 2)
    extract_at_once   = optional(number, 4)
    start_urls        = optional(list(string), [])
    catalogues        = optional(list(string), [])
    only_domains      = optional(list(string), [])
    prefer_domains    = optional(list(string), [])
    leave_out         = optional(list(string), [])
    portals           = optional(string, "")
    searxng_url       = optional(string, "")
  })
  default  = {}
  nullable = false

  validation {
    condition     = min(var.discovery.max_iterations, var.discovery.max_calls, var.discovery.queries_per_cycle, var.discovery.results_per_query, var.discovery.actions_per_dive, var.discovery.dives_in_a_row, var.discovery.extract_at_once) >= 1 && var.discovery.max_usd > 0 && var.discovery.results_per_query <= 20 && var.discovery.extract_at_once <= 16
    error_message = "discovery: each number must be above 0, results_per_query at most 20, extract_at_once at most 16."
  }
  validation {
    condition     = alltrue([for v in concat(var.discovery.start_urls, var.discovery.catalogues) : can(regex("^https?://[^,]+$", v))])
    error_message = "discovery: start_urls and catalogues must be addresses without commas, such as https://data.example.org/."
  }
  validation {
    condition     = alltrue([for v in concat(var.discovery.only_domains, var.discovery.prefer_domains, var.discovery.leave_out) : can(regex("^[^/:,]+$", v))])
    error_message = "discovery: only_domains, prefer_domains and leave_out must be domains, such as stat.example.org."
  }
  validation {
    condition     = can(regex("^$|^[+]?gs://", var.discovery.portals)) && can(regex("^$|^https?://", var.discovery.searxng_url))
    error_message = "discovery: portals must be gs://bucket/object, which may have a + before it, and searxng_url an address."
  }
}

variable "thinking_model" {
  description = "The model that plans and reviews discoveries, and does their deep dives."
  type        = string
  default     = "gemini-3.6-flash"
  nullable    = false

  validation {
    condition     = startswith(var.thinking_model, "gemini-")
    error_message = "thinking_model must be a Gemini model."
  }
}

variable "structured_model" {
  description = "The model that extracts datasets from pages, and judges search results."
  type        = string
  default     = "gemini-3.5-flash-lite"
  nullable    = false

  validation {
    condition     = startswith(var.structured_model, "gemini-")
    error_message = "structured_model must be a Gemini model."
  }
}

variable "forecast_model" {
  description = "The model that writes forecasts and leads conversations about them."
  type        = string
  default     = "gemini-3.6-flash"
  nullable    = false

  validation {
    condition     = startswith(var.forecast_model, "gemini-")
    error_message = "forecast_model must be a Gemini model."
  }
}

variable "forecast_thinking" {
  description = "How much that model thinks: minimal, low, medium or high."
  type        = string
  default     = "low"
  nullable    = false

  validation {
    condition     = contains(["minimal", "low", "medium", "high"], var.forecast_thinking)
    error_message = "forecast_thinking must be minimal, low, medium or high."
  }
}

variable "forecast_check" {
  description = "Whether judge_model checks each sentence of a forecast against the weather data before it is told, with one call for each forecast that is made."
  type        = bool
  default     = true
  nullable    = false
}

variable "speech_model" {
  description = "The model that speaks forecasts."
  type        = string
  default     = "gemini-3.8-flash-lite-tts"
  nullable    = false

  validation {
    condition     = startswith(var.speech_model, "gemini-")
    error_message = "speech_model must be a Gemini model that speaks."
  }
}

variable "speech_voice" {
  description = "The voice of speech_model, one of the prebuilt voices."
  type        = string
  default     = "Kore"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Z][a-z]+$", var.speech_voice))
    error_message = "speech_voice must be the name of a prebuilt voice, as Kore."
  }
}

variable "embedding_model" {
  description = "Embedding model of the catalogue. Vectors of two models are never compared: after a change the catalogue must be embedded again."
  type        = string
  default     = "gemini-embedding-2"
  nullable    = false

  validation {
    condition     = contains(["gemini-embedding-2", "gemini-embedding-001"], var.embedding_model)
    error_message = "embedding_model must be gemini-embedding-2 or gemini-embedding-001: no other has thresholds."
  }
}

variable "model_fallbacks" {
  description = "For each model the fallback that is tried once if the model is retired."
  type        = map(string)
  default = {
    "gemini-3.5-flash-lite" = "gemini-3.6-flash"
    "gemini-3.6-flash"      = "gemini-3.5-flash-lite"
  }
  nullable = false

  validation {
    condition     = length(var.model_fallbacks) > 0 && alltrue([for m in concat(keys(var.model_fallbacks), values(var.model_fallbacks)) : can(regex("^gemini-[a-z0-9.-]+$", m))])
    error_message = "model_fallbacks must name at least one model and another Gemini model for it."
  }
}

variable "max_usd_per_day" {
  description = "Limit of a day's cost over all instances: paid work then stops until midnight UTC. 0 means no limit."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.max_usd_per_day >= 0
    error_message = "max_usd_per_day must not be negative: use 0 for no limit."
  }
}

variable "calls_per_minute" {
  description = "How many model calls each caller of the API may make in a minute, in each instance: more get 429 with Retry-After. Unset it is 300 with public_api, where an office behind one address is one caller, and no limit otherwise. 0 means no limit."
  type        = number
  default     = null

  validation {
    condition     = var.calls_per_minute == null ? true : var.calls_per_minute >= 0 && floor(var.calls_per_minute) == var.calls_per_minute
    error_message = "calls_per_minute must be a whole number: use 0 for no limit."
  }
}

variable "scale" {
  description = "For each service: the concurrent requests of an instance, the largest and smallest number of instances, and the memory of each in MiB, three eighths of which are for photos in progress."
  type = object({
    upload = optional(object({
      concurrency   = optional(number, 8)
      max_instances = optional(number, 2)
      min_instances = optional(number, 0)
      memory_mb     = optional(number, 512)
    }), {})
    task = optional(object({
      concurrency   = optional(number, 8)
      max_instances = optional(number, 2)
      min_instances = optional(number, 0)
      memory_mb     = optional(number, 512)
    }), {})
    # Page loads and event streams count as requests of the API, too.
    api = optional(object({
      concurrency   = optional(number, 20)
      max_instances = optional(number, 2)
      min_instances = optional(number, 0)
      memory_mb     = optional(number, 1024)
    }), {})
  })
  default  = {}
  nullable = false

  validation {
    condition     = alltrue([for s in values(var.scale) : s.concurrency >= 1 && s.concurrency <= 1000 && s.max_instances >= 1 && s.min_instances >= 0 && s.min_instances <= s.max_instances])
    error_message = "scale: concurrency must be 1 to 1000, max_instances 1 or more, and min_instances no more than that."
  }

  # The second generation has at least 512 MiB, and one CPU at most 4 GiB. The largest
  # photo needs 120 MiB while it is analysed, which fits in 3/8 of 512.
  validation {
    condition     = alltrue([for s in values(var.scale) : s.memory_mb >= 512 && s.memory_mb <= 4096 && s.memory_mb == floor(s.memory_mb)])
    error_message = "scale: memory_mb must be a whole number from 512 to 4096."
  }

  # A photo of 4 MB needs 16 MiB. More photos at a time would only wait for memory and be
  # refused.
  validation {
    condition     = alltrue([for s in values(var.scale) : s.concurrency * 16 <= s.memory_mb * 3 / 8])
    error_message = "scale: there is no room in memory for so many photos at once: concurrency may be memory_mb × 3/8 ÷ 16 at most (12 of 512)."
  }
}

# Its validation is its use.
# tflint-ignore: terraform_unused_declarations
variable "model_requests_per_minute" {
  description = "Your own bound on calls of models a minute: scale must stay within it, at twenty calls a minute for each concurrent request. Vertex AI has no fixed quota for present models, but shares capacity by tokens a minute and answers 429, after which calls are repeated with growing pauses; on the Gemini API it is the requests a minute of the key's tier."
  type        = number
  default     = 1500
  nullable    = false

  # A request makes one call at a time, and a call takes three seconds.
  validation {
    condition     = sum([for s in values(var.scale) : s.concurrency * s.max_instances]) * 20 <= var.model_requests_per_minute
    error_message = "The services could ask the models more often than model_requests_per_minute: the sum of concurrency × max_instances × 20 must stay within it. Lower scale, or raise the quota and then this."
  }
}

variable "api_invokers" {
  description = "Who may call the API with an identity token: user:…, group:…, serviceAccount:…."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for m in var.api_invokers : can(regex("^(user|group|serviceAccount|domain|principal|principalSet):.+$", m))])
    error_message = "api_invokers must be members such as user:jo@example.com. For everybody there is public_api."
  }
}

variable "public_api" {
  description = "Lets anybody on the internet call the API, without signing in and at your cost: anybody with the URL can ask, see what they asked for, and spend up to max_usd_per_day, which it requires. The event services stay closed."
  type        = bool
  default     = false
  nullable    = false

  validation {
    condition     = !var.public_api || var.max_usd_per_day > 0
    error_message = "public_api requires max_usd_per_day: whoever has the URL spends your money."
  }
}

variable "domain_restricted_sharing" {
  description = "Set it where the organisation's policy iam.allowedPolicyMemberDomains forbids to grant anything to everybody. A public API is then opened by turning off Cloud Run's check of who calls (invoker_iam_disabled)."
  type        = bool
  default     = false
  nullable    = false
}

variable "iap_members" {
  description = "Who may open the API in a browser, signed in with Google: user:…, group:…, domain:…. Any member turns on Identity-Aware Proxy, which replaces api_invokers."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for m in var.iap_members : can(regex("^(user|group|serviceAccount|domain|principal|principalSet):.+$", m))])
    error_message = "iap_members must be members such as user:jo@example.com or domain:example.com."
  }
  validation {
    condition     = length(var.iap_members) == 0 || !var.public_api
    error_message = "iap_members and public_api contradict each other: set one of them."
  }
  validation {
    condition     = length(var.iap_members) == 0 || length(var.api_invokers) == 0
    error_message = "iap_members and api_invokers contradict each other: behind IAP nobody else is let in. Name everybody in iap_members."
  }
}

variable "deployer" {
  description = "The e-mail address of whoever deploys, an owner where callers have roles: behind IAP, and with public_api. scripts/deploy sets it."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^([^@ ,:]+@[^@ ,:]+)?$", var.deployer))
    error_message = "deployer must be an e-mail address, or empty."
  }
}

variable "owners" {
  description = "E-mail addresses of who may import, forget and remove, behind IAP or with public_api. Each may do what reviewers may."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for a in var.owners : can(regex("^[^@ ,:]+@[^@ ,:]+$", a))])
    error_message = "owners must be e-mail addresses of people or service accounts, without user:. A group cannot be told from its members."
  }
  validation {
    condition     = length(var.owners) == 0 || var.public_api || length(var.iap_members) > 0
    error_message = "owners: callers have roles behind IAP (iap_members) and with public_api. On a private service everybody whom api_invokers lets in may do everything."
  }
}

variable "reviewers" {
  description = "E-mail addresses of who may correct results, behind IAP or with public_api. Each may do what readers may."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for a in var.reviewers : can(regex("^[^@ ,:]+@[^@ ,:]+$", a))])
    error_message = "reviewers must be e-mail addresses of people or service accounts, without user:. A group cannot be told from its members."
  }
  validation {
    condition     = length(var.reviewers) == 0 || var.public_api || length(var.iap_members) > 0
    error_message = "reviewers: callers have roles behind IAP (iap_members) and with public_api. On a private service everybody whom api_invokers lets in may do everything."
  }
}

variable "readers" {
  description = "E-mail addresses of who may read all results with public_api. Everybody else sees the results they asked for. Behind IAP all its members are readers."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for a in var.readers : can(regex("^[^@ ,:]+@[^@ ,:]+$", a))])
    error_message = "readers must be e-mail addresses of people or service accounts, without user:. A group cannot be told from its members."
  }
  validation {
    condition     = length(var.readers) == 0 || var.public_api
    error_message = "readers is for public_api: behind IAP all its members are readers, and on a private service everybody may do everything."
  }
}

variable "token_audiences" {
  description = "Further audiences of the identity tokens that a public API accepts, besides its own address."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for a in var.token_audiences : can(regex("^[^ ,]+$", a))])
    error_message = "token_audiences must be audiences such as https://whatis.example.com."
  }
}

variable "api_ingress" {
  description = "From where the API can be reached: all, internal-and-cloud-load-balancing, or internal. Unset it is all, and internal-and-cloud-load-balancing with balancer_domain, so that nobody goes around the balancer. The event services are internal always."
  type        = string
  default     = null

  validation {
    condition     = var.api_ingress == null ? true : contains(["all", "internal-and-cloud-load-balancing", "internal"], var.api_ingress)
    error_message = "api_ingress must be all, internal-and-cloud-load-balancing or internal."
  }
}

variable "balancer_domain" {
  description = "The domain of a balancer with Cloud Armor before the API, such as whatis.example.com. Its A record must be the output balancer_address. Empty means no balancer, which costs some $25 a month."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^([a-z0-9]([a-z0-9-]*[a-z0-9])?[.])+[a-z]{2,}$|^$", var.balancer_domain))
    error_message = "balancer_domain must be a domain such as whatis.example.com, in small letters, or empty."
  }
  validation {
    condition     = var.balancer_domain == "" || var.api_ingress != "internal"
    error_message = "balancer_domain: with api_ingress = \"internal\" the balancer does not reach the API."
  }
}

variable "balancer_requests_per_minute" {
  description = "How many requests a minute Cloud Armor lets through of one address. A page load is some ten."
  type        = number
  default     = 600
  nullable    = false

  validation {
    condition     = var.balancer_requests_per_minute >= 1 && floor(var.balancer_requests_per_minute) == var.balancer_requests_per_minute
    error_message = "balancer_requests_per_minute must be a whole number of 1 or more."
  }
}

variable "trusted_proxies" {
  description = "How many entries at the end of X-Forwarded-For belong to your own proxies, so that the one before tells anonymous callers apart. Unset it is 1 with balancer_domain and 0 without."
  type        = number
  default     = null

  validation {
    condition     = var.trusted_proxies == null ? true : var.trusted_proxies >= 0 && floor(var.trusted_proxies) == var.trusted_proxies
    error_message = "trusted_proxies must be a whole number of 0 or more."
  }
}

variable "trace" {
  description = "Sends a sample of traces (event, steps, model calls, Firestore) to Cloud Trace, joined to the logs."
  type        = bool
  default     = true
  nullable    = false
}

variable "alert_emails" {
  description = "E-mail addresses for alerts and the budget. If empty, alerts are created but sent to nobody."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for a in var.alert_emails : can(regex("^[^@ ]+@[^@ ]+[.][^@ ]+$", a))])
    error_message = "alert_emails must be e-mail addresses."
  }
  validation {
    condition     = length(var.alert_emails) <= 5
    error_message = "alert_emails: a budget writes to five at most. Use a group's address."
  }
}

variable "billing_account" {
  description = "ID of the billing account (012345-6789AB-CDEF01), for a budget alert; the account that runs Terraform needs roles/billing.costsManager on it. Empty means no budget."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^([0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6})?$", var.billing_account))
    error_message = "billing_account must look like 012345-6789AB-CDEF01, or be empty."
  }
}

variable "monthly_budget" {
  description = "The project's budget a month, in the currency of the billing account. It warns at half, nine tenths and all of it, and stops nothing: max_usd_per_day does."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.monthly_budget >= 1 && var.monthly_budget == floor(var.monthly_budget)
    error_message = "monthly_budget must be a whole number of 1 or more."
  }
}
