# The services, and that they agree with the code.

mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project           = "a-project"
  region            = "europe-west1"
  image             = "europe-west1-docker.pkg.dev/a-project/whatis/cmd@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
  learn_from_search = false
  vertex_location   = "global"
}

run "one_service_per_entry_point" {
  command = plan

  # function.Targets
  assert {
    condition = { for s in google_cloud_run_v2_service.services : s.name => one([for e in s.template[0].containers[0].env : e.value if e.name == "FUNCTION_TARGET"]) } == {
      "whatis-upload" = "Upload"
      "whatis-task"   = "Task"
      "whatis-api"    = "API"
    }
    error_message = "function has the entry points Upload, Task and API"
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : length(s.template[0].containers) == 1 && s.template[0].containers[0].image == var.image])
    error_message = "all services run one image"
  }
  assert {
    condition = { for name, s in google_cloud_run_v2_service.services : name => s.ingress } == {
      upload = "INGRESS_TRAFFIC_INTERNAL_ONLY"
      task   = "INGRESS_TRAFFIC_INTERNAL_ONLY"
      api    = "INGRESS_TRAFFIC_ALL"
    }
    error_message = "an event service can be reached from outside, or the API cannot"
  }
  # The port opens when the function listens. Upload and Task answer a GET with an
  # error, so that they are asked for no more than a connection.
  assert {
    condition     = alltrue([for name in ["upload", "task"] : one(google_cloud_run_v2_service.services[name].template[0].containers[0].startup_probe[0].tcp_socket).port == one(google_cloud_run_v2_service.services[name].template[0].containers[0].ports).container_port])
    error_message = "an event service has no start-up probe of its port"
  }
  assert {
    condition     = [for p in google_cloud_run_v2_service.services["api"].template[0].containers[0].startup_probe[0].http_get : "${p.path} ${p.port}"] == ["/health 8080"]
    error_message = "the API's start-up probe does not ask /health of its port"
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : [for p in s.template[0].containers[0].startup_probe : "${p.period_seconds} ${p.timeout_seconds} ${p.failure_threshold}"] == ["1 1 30"] && length(s.template[0].containers[0].liveness_probe) == 0])
    error_message = "an instance is given up before half a minute of starting, later, or while it works"
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : one(s.template[0].containers[0].ports).container_port == 8080])
    error_message = "a service listens at another port than the framework's"
  }
  # All requests go to the latest revision, which is what was applied.
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : length(s.traffic) == 0 && s.location == "europe-west1" && s.template[0].encryption_key == null])
    error_message = "a part of the requests goes to another revision, or another region"
  }
}

# function.handlerTimeout is 540 s, server.Limits.Answer 570 s, and the
# subscriptions wait for 600 s: each gives up before whoever waits for it.
run "time_outs_agree_with_the_code" {
  command = plan

  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : s.template[0].timeout == "570s"])
    error_message = "a service has another time-out than server.Limits.Answer"
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : 540 < tonumber(trimsuffix(s.template[0].timeout, "s"))])
    error_message = "a service gives up before its handler"
  }
  assert {
    condition     = alltrue([for q in google_pubsub_subscription.queues : tonumber(trimsuffix(google_cloud_run_v2_service.services["upload"].template[0].timeout, "s")) < q.ack_deadline_seconds])
    error_message = "Pub/Sub delivers again while a service is at work"
  }
}

# app.New gives three eighths of MEMORY_MB to photos; intake.MemoryFor is four times
# their size.
run "memory_and_concurrency_agree_with_the_code" {
  command = plan

  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : s.template[0].containers[0].resources[0].limits.memory == "${one([for e in s.template[0].containers[0].env : e.value if e.name == "MEMORY_MB"])}Mi"])
    error_message = "MEMORY_MB is not what the instance has"
  }
  assert {
    condition     = { for name, s in google_cloud_run_v2_service.services : name => s.template[0].max_instance_request_concurrency } == { upload = 8, task = 8, api = 20 }
    error_message = "an instance takes another number of requests at once"
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : s.template[0].max_instance_request_concurrency * 16 * 8 <= 3 * tonumber(trimsuffix(s.template[0].containers[0].resources[0].limits.memory, "Mi"))])
    error_message = "photos of 4 MB, as many as an instance takes, find no room"
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : s.template[0].execution_environment == "EXECUTION_ENVIRONMENT_GEN2" && s.template[0].containers[0].resources[0].cpu_idle && s.template[0].containers[0].resources[0].startup_cpu_boost && s.template[0].containers[0].resources[0].limits.cpu == "1"])
    error_message = "a service runs in another way than it was measured"
  }
  assert {
    condition     = sum([for s in google_cloud_run_v2_service.services : s.template[0].max_instance_request_concurrency * s.template[0].scaling[0].max_instance_count]) * 20 <= var.model_requests_per_minute
    error_message = "the services can ask the models more often than the quota allows"
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : s.template[0].scaling[0].min_instance_count == 0])
    error_message = "instances are paid for without work"
  }
}

run "scale_is_used" {
  command = plan
  variables {
    scale = {
      upload = { concurrency = 12, max_instances = 5, min_instances = 1 }
      api    = { concurrency = 24, memory_mb = 2048 }
    }
    model_requests_per_minute = 5000
  }

  assert {
    condition = { for name, s in google_cloud_run_v2_service.services : name => "${s.template[0].max_instance_request_concurrency} ${s.template[0].scaling[0].max_instance_count} ${s.template[0].scaling[0].min_instance_count} ${s.template[0].containers[0].resources[0].limits.memory}" } == {
      upload = "12 5 1 512Mi"
      task   = "8 2 0 512Mi"
      api    = "24 2 0 2048Mi"
    }
    error_message = "scale is not what the services get"
  }
}

run "an_account_each" {
  command = apply

  assert {
    condition     = toset([for a in google_service_account.services : a.account_id]) == toset(["whatis-upload", "whatis-task", "whatis-api"]) && google_service_account.push.account_id == "whatis-push"
    error_message = "a service shares its account"
  }
  assert {
    condition     = alltrue([for name, s in google_cloud_run_v2_service.services : s.template[0].service_account == google_service_account.services[name].email])
    error_message = "a service runs as somebody else"
  }
  assert {
    condition     = length(toset([for s in google_cloud_run_v2_service.services : s.template[0].service_account])) == 3
    error_message = "services share an account"
  }
}

# internal/app/config.go, but for K_SERVICE, which Cloud Run sets, and what is
# empty unless asked for.
run "every_variable_of_the_configuration_is_set" {
  command = plan
  variables {
    image_media_resolution = "high"
    judge_media_resolution = "low"
    picture_buckets        = ["pictures", "more-pictures"]
    gtin_directory         = "https://world.openfoodfacts.org"
    gtin_directory_contact = "shop@example.com"
    currency               = "EUR"
    search_shop            = "glasses"
    search_model           = "gemini-c"
    embedding_location     = "us-central1"
    speech_location        = "global"
    search_vocabulary      = "gs://vocabularies/shoes.json"
    discovery = {
      max_calls    = 90, max_usd = 0.5, queries_per_cycle = 3, extract_at_once = 2
      start_urls   = ["https://a.example.org/", "https://b.example.org/"], catalogues = ["https://data.example.org/"]
      only_domains = ["example.org"], prefer_domains = ["a.example.org"], leave_out = ["old.example.org"]
      portals      = "+gs://settings/portals.json", searxng_url = "https://searx.example.org"
    }
    shop_facts      = "gs://vocabularies/shoes.md"
    public_api      = true
    max_usd_per_day = 5
    owners          = ["jo@example.com"]
    reviewers       = ["kim@example.com"]
    readers         = ["lee@example.com"]
  }

  assert {
    condition = alltrue([for s in google_cloud_run_v2_service.services : toset([for e in s.template[0].containers[0].env : e.name]) == toset([
      "FUNCTION_TARGET", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI",
      "UPLOAD_BUCKET", "RESULTS_BUCKET", "INDEX_BUCKET", "TASKS_TOPIC", "LONG_TASKS_TOPIC", "RESULTS_TOPIC", "FAILURES_TOPIC", "LEASE", "GIVE_UP_AFTER", "FIRESTORE_DATABASE", "AGENTS",
      "COUNTRY", "LANGUAGE_TAG", "POLICY", "SECOND_LOOK", "LEARN_FROM_SEARCH", "SEARCH_WITH_SCHEMA", "WEB_SEARCH", "MODEL_TIMEOUT", "CALLER_PATIENCE", "READ_CODES", "KEEP_THUMBNAILS",
      "IMAGE_THINKING", "JUDGE_THINKING", "SEARCH_THINKING", "IMAGE_MEDIA_RESOLUTION", "JUDGE_MEDIA_RESOLUTION", "LOG_LEVEL",
      "IMAGE_MODEL", "JUDGE_MODEL", "EMBEDDING_MODEL", "EMBEDDING_LOCATION", "FORECAST_MODEL", "FORECAST_THINKING", "FORECAST_CHECK", "SPEECH_MODEL", "SPEECH_VOICE", "SPEECH_LOCATION", "OPENWEATHER_BASE_URL", "OPENWEATHER_PER_MINUTE",
      "BRAVE_SEARCH_BASE_URL", "THINKING_MODEL", "DISCOVER_THINKING", "STRUCTURED_MODEL", "RELEVANCE_CHECK_MODEL", "SEARXNG_URL", "EXTRACT_AT_ONCE", "MAX_ITERATIONS", "MAX_MODEL_CALLS", "MAX_USD_PER_RUN", "QUERIES_PER_CYCLE", "RESULTS_PER_QUERY", "ACTIONS_PER_DIVE", "DIVES_IN_A_ROW", "DISCOVER_START_URLS", "DISCOVER_CATALOGUES", "DISCOVER_ONLY_DOMAINS", "DISCOVER_PREFER_DOMAINS", "DISCOVER_LEAVE_OUT", "DISCOVER_PORTALS", "MODEL_FALLBACKS", "MAX_USD_PER_DAY", "CALLS_PER_MINUTE", "EVENT_TIER",
      "SHOP", "CURRENCY", "GTIN_DIRECTORY", "GTIN_DIRECTORY_CONTACT", "PICTURE_BUCKETS", "SEARCH_SHOP", "SEARCH_MODEL", "SEARCH_VOCABULARY", "SHOP_FACTS", "MEMORY_MB", "MODEL_CALLS_PER_MINUTE", "TRACE", "ACCESS", "CALLER_AUDIENCES", "OWNERS", "REVIEWERS", "READERS", "TRUSTED_PROXIES", "RECORD_DAYS", "RESULT_CACHE_DAYS", "SESSION_DAYS",
    ])])
    error_message = "the environment is not what internal/app reads"
  }
}

# The defaults of Config, so that a deployment does what a README reader expects.
run "defaults_agree_with_the_code" {
  command = plan

  assert {
    condition = { for e in google_cloud_run_v2_service.services["upload"].template[0].containers[0].env : e.name => e.value } == {
      FUNCTION_TARGET           = "Upload"
      GOOGLE_CLOUD_PROJECT      = "a-project"
      GOOGLE_CLOUD_LOCATION     = "global"
      GOOGLE_GENAI_USE_VERTEXAI = "true"
      UPLOAD_BUCKET             = "a-project-whatis-uploads"
      RESULTS_BUCKET            = "a-project-whatis-results"
      INDEX_BUCKET              = "a-project-whatis-indexes"
      TASKS_TOPIC               = "whatis-tasks"
      LONG_TASKS_TOPIC          = "whatis-long-tasks"
      RESULTS_TOPIC             = "whatis-results"
      FAILURES_TOPIC            = "whatis-failures"
      LEASE                     = "30s"
      GIVE_UP_AFTER             = "24h"
      FIRESTORE_DATABASE        = "whatis"
      AGENTS                    = "analyze,search,forecast,discover"
      COUNTRY                   = "KR"
      LANGUAGE_TAG              = "ko"
      POLICY                    = "seed"
      SECOND_LOOK               = "doubt"
      LEARN_FROM_SEARCH         = "false"
      SEARCH_WITH_SCHEMA        = "false"
      WEB_SEARCH                = "true"
      MODEL_TIMEOUT             = "0s"
      CALLER_PATIENCE           = "45s"
      READ_CODES                = "seen"
      KEEP_THUMBNAILS           = "true"
      IMAGE_MODEL               = "gemini-3.5-flash-lite"
      JUDGE_MODEL               = "gemini-3.6-flash"
      IMAGE_THINKING            = "minimal"
      JUDGE_THINKING            = "low"
      SEARCH_THINKING           = "low"
      LOG_LEVEL                 = "info"
      EMBEDDING_MODEL           = "gemini-embedding-2"
      FORECAST_MODEL            = "gemini-3.6-flash"
      FORECAST_THINKING         = "low"
      FORECAST_CHECK            = "true"
      SPEECH_MODEL              = "gemini-3.8-flash-lite-tts"
      SPEECH_VOICE              = "Kore"
      OPENWEATHER_BASE_URL      = "https://api.openweathermap.org"
      OPENWEATHER_PER_MINUTE    = "15"
      BRAVE_SEARCH_BASE_URL     = "https://api.search.brave.com"
      THINKING_MODEL            = "gemini-3.6-flash"
      DISCOVER_THINKING         = "low"
      STRUCTURED_MODEL          = "gemini-3.5-flash-lite"
      RELEVANCE_CHECK_MODEL     = "gemini-3.5-flash-lite"
      EXTRACT_AT_ONCE           = "4"
      MAX_ITERATIONS            = "6"
      MAX_MODEL_CALLS           = "250"
      MAX_USD_PER_RUN           = "2"
      QUERIES_PER_CYCLE         = "5"
      RESULTS_PER_QUERY         = "10"
      ACTIONS_PER_DIVE          = "3"
      DIVES_IN_A_ROW            = "2"
      MODEL_FALLBACKS           = "gemini-3.5-flash-lite:gemini-3.6-flash,gemini-3.6-flash:gemini-3.5-flash-lite"
      MAX_USD_PER_DAY           = "0"
      CALLS_PER_MINUTE          = "0"
      EVENT_TIER                = "standard"
      SHOP                      = "default"
      RECORD_DAYS               = "400"
      RESULT_CACHE_DAYS         = "30"
      SESSION_DAYS              = "7"
      TRACE                     = "cloud"
      ACCESS                    = "private"
      TRUSTED_PROXIES           = "0"
      MEMORY_MB                 = "512"
      MODEL_CALLS_PER_MINUTE    = "166"
    }
    error_message = "a default is not that of internal/app/config.go"
  }
}

run "every_variable_reaches_the_services" {
  command = plan
  variables {
    name_prefix            = "other"
    learn_from_search      = true
    country                = "US"
    language_tag           = "en"
    policy                 = "strict"
    second_look            = "always"
    search_with_schema     = true
    web_search             = false
    read_codes             = "never"
    keep_thumbnails        = false
    trace                  = false
    gemini_secret          = "gemini-key"
    vertex_location        = "europe-west4"
    image_model            = "gemini-a"
    judge_model            = "gemini-b"
    image_thinking         = "low"
    judge_thinking         = "medium"
    search_thinking        = "high"
    image_media_resolution = "high"
    judge_media_resolution = "low"
    log_level              = "debug"
    embedding_model        = "gemini-embedding-001"
    model_fallbacks        = { "gemini-a" = "gemini-b" }
    max_usd_per_day        = 12.5
    calls_per_minute       = 90
    shop                   = "corner"
    picture_buckets        = ["pictures", "more-pictures"]
    gtin_directory         = "https://world.openfoodfacts.org"
    gtin_directory_contact = "shop@example.com"
    currency               = "EUR"
    search_shop            = "glasses"
    search_model           = "gemini-c"
    forecast_check         = false
    event_tier             = "flex"
    embedding_location     = "us-central1"
    speech_location        = "global"
    search_vocabulary      = "gs://vocabularies/shoes.json"
    shop_facts             = "gs://vocabularies/shoes.md"
    discovery = {
      max_calls    = 90, max_usd = 0.5, queries_per_cycle = 3, extract_at_once = 2
      start_urls   = ["https://a.example.org/", "https://b.example.org/"], catalogues = ["https://data.example.org/"]
      only_domains = ["example.org"], prefer_domains = ["a.example.org"], leave_out = ["old.example.org"]
      portals      = "+gs://settings/portals.json", searxng_url = "https://searx.example.org"
    }
    record_days       = 100
    result_cache_days = 7
    session_days      = 30

    openweather_calls_per_minute = 120
  }

  assert {
    condition = { for e in google_cloud_run_v2_service.services["api"].template[0].containers[0].env : e.name => e.value if e.name != "GOOGLE_API_KEY" } == {
      FUNCTION_TARGET           = "API"
      GOOGLE_CLOUD_PROJECT      = "a-project"
      GOOGLE_CLOUD_LOCATION     = "europe-west4"
      GOOGLE_GENAI_USE_VERTEXAI = "false"
      UPLOAD_BUCKET             = "a-project-other-uploads"
      RESULTS_BUCKET            = "a-project-other-results"
      INDEX_BUCKET              = "a-project-other-indexes"
      TASKS_TOPIC               = "other-tasks"
      LONG_TASKS_TOPIC          = "other-long-tasks"
      RESULTS_TOPIC             = "other-results"
      FAILURES_TOPIC            = "other-failures"
      LEASE                     = "30s"
      GIVE_UP_AFTER             = "24h"
      FIRESTORE_DATABASE        = "other"
      AGENTS                    = "analyze,search,forecast,discover"
      COUNTRY                   = "US"
      LANGUAGE_TAG              = "en"
      POLICY                    = "strict"
      SECOND_LOOK               = "always"
      LEARN_FROM_SEARCH         = "true"
      SEARCH_WITH_SCHEMA        = "true"
      WEB_SEARCH                = "false"
      MODEL_TIMEOUT             = "0s"
      CALLER_PATIENCE           = "45s"
      READ_CODES                = "never"
      KEEP_THUMBNAILS           = "false"
      TRACE                     = "off"
      ACCESS                    = "private"
      TRUSTED_PROXIES           = "0"
      IMAGE_MODEL               = "gemini-a"
      JUDGE_MODEL               = "gemini-b"
      IMAGE_THINKING            = "low"
      JUDGE_THINKING            = "medium"
      SEARCH_THINKING           = "high"
      IMAGE_MEDIA_RESOLUTION    = "high"
      JUDGE_MEDIA_RESOLUTION    = "low"
      LOG_LEVEL                 = "debug"
      EMBEDDING_MODEL           = "gemini-embedding-001"
      EMBEDDING_LOCATION        = "us-central1"
      FORECAST_MODEL            = "gemini-3.6-flash"
      FORECAST_THINKING         = "low"
      FORECAST_CHECK            = "false"
      SPEECH_MODEL              = "gemini-3.8-flash-lite-tts"
      SPEECH_VOICE              = "Kore"
      SPEECH_LOCATION           = "global"
      OPENWEATHER_BASE_URL      = "https://api.openweathermap.org"
      OPENWEATHER_PER_MINUTE    = "30"
      BRAVE_SEARCH_BASE_URL     = "https://api.search.brave.com"
      THINKING_MODEL            = "gemini-3.6-flash"
      DISCOVER_THINKING         = "low"
      STRUCTURED_MODEL          = "gemini-3.5-flash-lite"
      RELEVANCE_CHECK_MODEL     = "gemini-3.5-flash-lite"
      EXTRACT_AT_ONCE           = "2"
      MAX_ITERATIONS            = "6"
      MAX_MODEL_CALLS           = "90"
      MAX_USD_PER_RUN           = "0.5"
      QUERIES_PER_CYCLE         = "3"
      RESULTS_PER_QUERY         = "10"
      ACTIONS_PER_DIVE          = "3"
      DIVES_IN_A_ROW            = "2"
      SEARXNG_URL               = "https://searx.example.org"
      DISCOVER_START_URLS       = "https://a.example.org/,https://b.example.org/"
      DISCOVER_CATALOGUES       = "https://data.example.org/"
      DISCOVER_ONLY_DOMAINS     = "example.org"
      DISCOVER_PREFER_DOMAINS   = "a.example.org"
      DISCOVER_LEAVE_OUT        = "old.example.org"
      DISCOVER_PORTALS          = "+gs://settings/portals.json"
      MODEL_FALLBACKS           = "gemini-a:gemini-b"
      MAX_USD_PER_DAY           = "12.5"
      CALLS_PER_MINUTE          = "90"
      EVENT_TIER                = "flex"
      SHOP                      = "corner"
      CURRENCY                  = "EUR"
      GTIN_DIRECTORY            = "https://world.openfoodfacts.org"
      GTIN_DIRECTORY_CONTACT    = "shop@example.com"
      PICTURE_BUCKETS           = "pictures,more-pictures"
      SEARCH_SHOP               = "glasses"
      SEARCH_MODEL              = "gemini-c"
      SEARCH_VOCABULARY         = "gs://vocabularies/shoes.json"
      SHOP_FACTS                = "gs://vocabularies/shoes.md"
      RECORD_DAYS               = "100"
      RESULT_CACHE_DAYS         = "7"
      SESSION_DAYS              = "30"
      MEMORY_MB                 = "1024"
      MODEL_CALLS_PER_MINUTE    = "416"
    }
    error_message = "a variable does not reach the services"
  }
}

run "a_key_comes_from_secret_manager" {
  command = plan
  variables {
    gemini_secret = "gemini-key"
  }

  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : one([for e in s.template[0].containers[0].env : e.value_source[0].secret_key_ref[0].secret if e.name == "GOOGLE_API_KEY"]) == "gemini-key"])
    error_message = "a service does not get the key"
  }
  assert {
    condition     = alltrue(flatten([for s in google_cloud_run_v2_service.services : [for e in s.template[0].containers[0].env : e.value == null if e.name == "GOOGLE_API_KEY"]]))
    error_message = "the key stands in the configuration"
  }
  assert {
    condition     = alltrue(flatten([for s in google_cloud_run_v2_service.services : [for e in s.template[0].containers[0].env : e.value_source[0].secret_key_ref[0].version == "latest" if length(e.value_source) > 0]]))
    error_message = "a new version of the key is not read"
  }
  assert {
    condition     = contains(keys(google_project_service.apis), "secretmanager.googleapis.com") && !contains(keys(google_project_service.apis), "aiplatform.googleapis.com")
    error_message = "with a key Secret Manager is needed, and Vertex AI is not"
  }
}

run "keys_of_others_come_from_secret_manager" {
  command = plan
  variables {
    openweather_secret = "weather-key"
    brave_secret       = "brave-key"
  }

  assert {
    condition = { for name, s in google_cloud_run_v2_service.services : name => jsonencode({ for e in s.template[0].containers[0].env : e.name => "${e.value_source[0].secret_key_ref[0].secret} ${e.value_source[0].secret_key_ref[0].version}" if length(e.value_source) > 0 }) } == {
      upload = jsonencode({})
      task   = jsonencode({ OPENWEATHER_API_KEY = "weather-key latest", BRAVE_SEARCH_API_KEY = "brave-key latest" })
      api    = jsonencode({ OPENWEATHER_API_KEY = "weather-key latest" })
    }
    error_message = "a service does not get the key of OpenWeather or of Brave, or an old version, or one that it does not use"
  }
  assert {
    condition     = contains(keys(google_project_service.apis), "secretmanager.googleapis.com") && contains(keys(google_project_service.apis), "aiplatform.googleapis.com")
    error_message = "the key is in Secret Manager, whatever asks the models"
  }
}

# One that is left out costs nothing: it has no index, no secret and no right.
run "agents_left_out" {
  command = plan
  variables {
    agents             = ["search"]
    openweather_secret = "weather-key"
    brave_secret       = "brave-key"
  }

  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : one([for e in s.template[0].containers[0].env : e.value if e.name == "AGENTS"]) == "analyze,search"])
    error_message = "a service offers an agent that is left out, or not one that is there"
  }
  assert {
    condition     = alltrue(flatten([for s in google_cloud_run_v2_service.services : [for e in s.template[0].containers[0].env : !contains(["OPENWEATHER_API_KEY", "BRAVE_SEARCH_API_KEY"], e.name)]])) && length(google_secret_manager_secret_iam_member.openweather_key) == 0 && length(google_secret_manager_secret_iam_member.brave_key) == 0 && !contains(keys(google_project_service.apis), "secretmanager.googleapis.com")
    error_message = "an agent that is left out has a key"
  }
  assert {
    condition     = contains(keys(google_firestore_index.indexes), "products_by_text")
    error_message = "an agent that is there has no index"
  }
}

run "no_agent_but_one" {
  command = plan
  variables {
    agents = []
  }

  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : one([for e in s.template[0].containers[0].env : e.value if e.name == "AGENTS"]) == "analyze"])
    error_message = "analyze is always there"
  }
  assert {
    condition     = [for name, i in google_firestore_index.indexes : name if i.collection == "products" && anytrue([for f in i.fields : endswith(f.field_path, "embedding")])] == ["products_nearest", "products_nearest_in_language", "products_nearest_of_brand"]
    error_message = "only the analysis of photos looks for what is near"
  }
}

run "apis" {
  command = plan

  assert {
    condition = toset(concat(keys(google_project_service.apis), keys(google_project_service.first))) == toset([
      "aiplatform.googleapis.com", "artifactregistry.googleapis.com", "firestore.googleapis.com", "iam.googleapis.com",
      "logging.googleapis.com", "monitoring.googleapis.com", "pubsub.googleapis.com", "run.googleapis.com",
      "cloudresourcemanager.googleapis.com", "storage.googleapis.com",
      "cloudtrace.googleapis.com", "telemetry.googleapis.com",
    ])
    error_message = "an API is missing, or one is on that nothing needs"
  }
  assert {
    condition     = alltrue([for s in concat(values(google_project_service.apis), values(google_project_service.first)) : s.disable_on_destroy == false])
    error_message = "a destroy would turn off what others use"
  }
  assert {
    condition     = google_artifact_registry_repository.images.format == "DOCKER" && google_artifact_registry_repository.images.repository_id == "whatis" && google_artifact_registry_repository.images.location == "europe-west1"
    error_message = "there is nowhere to push the image"
  }
  assert {
    condition     = [for p in google_artifact_registry_repository.images.cleanup_policies : "${p.id} ${p.action} ${join(" ", [for c in p.condition : "${c.tag_state} ${c.older_than}"])}${join(" ", [for m in p.most_recent_versions : m.keep_count])}"] == ["delete-old DELETE ANY 2592000s", "keep-latest KEEP 20"] && google_artifact_registry_repository.images.cleanup_policy_dry_run != true
    error_message = "old images are kept for good, or those that a way back needs are not"
  }
}

run "a_key_of_encryption" {
  command = apply
  variables {
    kms_key = "projects/k/locations/europe-west1/keyRings/r/cryptoKeys/c"
  }

  assert {
    condition = alltrue([for key in concat(
      [for b in [google_storage_bucket.uploads, google_storage_bucket.results] : one(b.encryption).default_kms_key_name],
      [for t in concat(values(google_pubsub_topic.queues), values(google_pubsub_topic.dead_letters), [google_pubsub_topic.results, google_pubsub_topic.failures]) : t.kms_key_name],
      [for s in google_cloud_run_v2_service.services : s.template[0].encryption_key],
      [one(google_firestore_database.database.cmek_config).kms_key_name, google_artifact_registry_repository.images.kms_key_name],
    ) : key == var.kms_key])
    error_message = "something is kept that kms_key does not encrypt"
  }
  assert {
    condition = toset([for m in google_kms_crypto_key_iam_member.agents : "${m.member} ${m.role} ${m.crypto_key_id}"]) == toset([for agent in ["gcp-sa-artifactregistry", "gcp-sa-firestore", "gcp-sa-pubsub", "serverless-robot-prod", "gs-project-accounts"] :
    "serviceAccount:service-123456789012@${agent}.iam.gserviceaccount.com roles/cloudkms.cryptoKeyEncrypterDecrypter ${var.kms_key}"])
    error_message = "an agent of Google may not use the key, or may do more"
  }
  assert {
    condition     = contains(keys(google_project_service.apis), "cloudkms.googleapis.com")
    error_message = "the API of the key is off"
  }
}

# All instances together ask no more than model_requests_per_minute, and each is as quick as
# it has requests at once.
run "calls_of_models_are_divided" {
  command = plan
  variables {
    model_requests_per_minute = 3000
    scale                     = { upload = { max_instances = 5 }, api = { concurrency = 10 } }
  }

  assert {
    condition     = { for name, s in google_cloud_run_v2_service.services : name => one([for e in s.template[0].containers[0].env : e.value if e.name == "MODEL_CALLS_PER_MINUTE"]) } == { upload = "315", task = "315", api = "394" } && 315 * 5 + 315 * 2 + 394 * 2 <= 3000
    error_message = "the instances together may ask the models more often than was said, or less than they could"
  }
}
