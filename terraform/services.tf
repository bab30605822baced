locals {
  # The variables of every service. internal/app reads them.
  environment = {
    GOOGLE_CLOUD_PROJECT      = var.project
    GOOGLE_CLOUD_LOCATION     = var.vertex_location
    GOOGLE_GENAI_USE_VERTEXAI = tostring(local.vertex)
    FIRESTORE_DATABASE        = google_firestore_database.database.name
    UPLOAD_BUCKET             = google_storage_bucket.uploads.name
    RESULTS_BUCKET            = google_storage_bucket.results.name
    INDEX_BUCKET              = google_storage_bucket.indexes.name
    TASKS_TOPIC               = google_pubsub_topic.queues["tasks"].name
    LONG_TASKS_TOPIC          = google_pubsub_topic.queues["long-tasks"].name
    RESULTS_TOPIC             = google_pubsub_topic.results.name
    FAILURES_TOPIC            = google_pubsub_topic.failures.name
    LEASE                     = local.lease
    GIVE_UP_AFTER             = local.give_up_after
    AGENTS                    = join(",", concat(["analyze"], [for agent in ["search", "forecast", "discover"] : agent if contains(var.agents, agent)]))
    COUNTRY                   = var.country
    LANGUAGE_TAG              = var.language_tag
    POLICY                    = var.policy
    SECOND_LOOK               = var.second_look
    LEARN_FROM_SEARCH         = tostring(var.learn_from_search)
    WEB_SEARCH                = tostring(var.web_search)
    SEARCH_WITH_SCHEMA        = tostring(var.search_with_schema)
    READ_CODES                = var.read_codes
    KEEP_THUMBNAILS           = tostring(var.keep_thumbnails)
    MODEL_TIMEOUT             = "0s"
    CALLER_PATIENCE           = "45s"
    IMAGE_MODEL               = var.image_model
    JUDGE_MODEL               = var.judge_model
    IMAGE_THINKING            = var.image_thinking
    JUDGE_THINKING            = var.judge_thinking
    SEARCH_THINKING           = var.search_thinking
    IMAGE_MEDIA_RESOLUTION    = var.image_media_resolution
    JUDGE_MEDIA_RESOLUTION    = var.judge_media_resolution
    EMBEDDING_MODEL           = var.embedding_model
    EMBEDDING_LOCATION        = var.embedding_location
    FORECAST_MODEL            = var.forecast_model
    FORECAST_THINKING         = var.forecast_thinking
    FORECAST_CHECK            = tostring(var.forecast_check)
    SPEECH_MODEL              = var.speech_model
    SPEECH_VOICE              = var.speech_voice
    SPEECH_LOCATION           = var.speech_location
    OPENWEATHER_BASE_URL      = "https://api.openweathermap.org"
    OPENWEATHER_PER_MINUTE    = tostring(floor(var.openweather_calls_per_minute / (var.scale.api.max_instances + var.scale.task.max_instances)))
    BRAVE_SEARCH_BASE_URL     = "https://api.search.brave.com"
    FETCH_ALLOW               = ""
    EMULATED_WEB              = ""
    THINKING_MODEL            = var.thinking_model
    DISCOVER_THINKING         = "low"
    STRUCTURED_MODEL          = var.structured_model
    RELEVANCE_CHECK_MODEL     = var.structured_model
    SEARXNG_URL               = var.discovery.searxng_url
    MAX_ITERATIONS            = tostring(var.discovery.max_iterations)
    EXTRACT_AT_ONCE           = tostring(var.discovery.extract_at_once)
    MAX_MODEL_CALLS           = tostring(var.discovery.max_calls)
    MAX_USD_PER_RUN           = tostring(var.discovery.max_usd)
    QUERIES_PER_CYCLE         = tostring(var.discovery.queries_per_cycle)
    RESULTS_PER_QUERY         = tostring(var.discovery.results_per_query)
    ACTIONS_PER_DIVE          = tostring(var.discovery.actions_per_dive)
    DIVES_IN_A_ROW            = tostring(var.discovery.dives_in_a_row)
    DISCOVER_START_URLS       = join(",", var.discovery.start_urls)
    DISCOVER_CATALOGUES       = join(",", var.discovery.catalogues)
    DISCOVER_ONLY_DOMAINS     = join(",", var.discovery.only_domains)
    DISCOVER_PREFER_DOMAINS   = join(",", var.discovery.prefer_domains)
    DISCOVER_LEAVE_OUT        = join(",", var.discovery.leave_out)
    DISCOVER_PORTALS          = var.discovery.portals
    MODEL_FALLBACKS           = join(",", [for model, other in var.model_fallbacks : "${model}:${other}"])
    MAX_USD_PER_DAY           = tostring(var.max_usd_per_day)
    CALLS_PER_MINUTE          = tostring(coalesce(var.calls_per_minute, var.public_api ? 300 : 0))
    EVENT_TIER                = var.event_tier
    SHOP                      = var.shop
    CURRENCY                  = var.currency
    GTIN_DIRECTORY            = var.gtin_directory
    GTIN_DIRECTORY_CONTACT    = var.gtin_directory_contact
    PICTURE_BUCKETS           = join(",", var.picture_buckets)
    SEARCH_SHOP               = var.search_shop
    SEARCH_MODEL              = var.search_model
    SEARCH_VOCABULARY         = var.search_vocabulary
    SHOP_FACTS                = var.shop_facts
    LOG_LEVEL                 = var.log_level
    RECORD_DAYS               = tostring(var.record_days)
    RESULT_CACHE_DAYS         = tostring(var.result_cache_days)
    SESSION_DAYS              = tostring(var.session_days)
    TRACE                     = var.trace ? "cloud" : "off"
    ACCESS                    = local.access
    CALLER_AUDIENCES          = join(",", local.caller_audiences)
    OWNERS                    = join(",", local.owners)
    REVIEWERS                 = join(",", var.reviewers)
    READERS                   = join(",", var.readers)
    TRUSTED_PROXIES           = tostring(coalesce(var.trusted_proxies, length(local.balanced)))
  }

  # Variables from Secret Manager: the secret's ID, and the services that read it. The API
  # makes forecasts, and Task those that other agents do not wait for; discoveries run in
  # Task alone.
  secrets = { for name, secret in {
    "GOOGLE_API_KEY"     = { id = var.gemini_secret, services = keys(local.services) }
    OPENWEATHER_API_KEY  = { id = local.openweather_secret, services = ["api", "task"] }
    BRAVE_SEARCH_API_KEY = { id = local.brave_secret, services = ["task"] }
  } : name => secret if secret.id != "" }
  # Those of deployed agents.
  openweather_secret = contains(var.agents, "forecast") ? var.openweather_secret : ""
  brave_secret       = contains(var.agents, "discover") ? var.brave_secret : ""

  # Variables that differ between services. Cloud Run sets K_SERVICE and PORT.
  environments = {
    for name, service in local.services : name => merge(local.environment, {
      FUNCTION_TARGET = service.target
      MEMORY_MB       = tostring(service.scale.memory_mb)
      # What all instances may ask of the models, divided by how many requests each has at once.
      MODEL_CALLS_PER_MINUTE = tostring(max(1, floor(var.model_requests_per_minute * service.scale.concurrency / sum([for s in values(local.services) : s.scale.concurrency * s.scale.max_instances]))))
    })
  }

  # Longer than the handler's 540 s, shorter than the subscription's 600 s.
  service_timeout = "570s"
  port            = 8080
}

resource "google_cloud_run_v2_service" "services" {
  for_each = local.services

  project  = var.project
  location = var.region
  name     = "${var.name_prefix}-${each.key}"

  # Pub/Sub of this project counts as internal. The API is reachable from the internet or by
  # its balancer, but only by callers that may invoke it.
  ingress = each.key != "api" ? "INGRESS_TRAFFIC_INTERNAL_ONLY" : { all = "INGRESS_TRAFFIC_ALL", internal = "INGRESS_TRAFFIC_INTERNAL_ONLY", internal-and-cloud-load-balancing = "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER" }[local.api_ingress]

  # Everybody may call a public API. Where the organisation forbids that grant,
  # the API does not ask Cloud Run who calls.
  invoker_iam_disabled = each.key == "api" && var.public_api && var.domain_restricted_sharing

  # A service has no data; databases and buckets have their own protection.
  deletion_protection = false

  template {
    service_account                  = google_service_account.services[each.key].email
    timeout                          = local.service_timeout
    max_instance_request_concurrency = each.value.scale.concurrency
    execution_environment            = "EXECUTION_ENVIRONMENT_GEN2"
    encryption_key                   = local.kms_key

    scaling {
      min_instance_count = each.value.scale.min_instances
      max_instance_count = each.value.scale.max_instances
    }

    containers {
      image = var.image

      ports {
        container_port = local.port
      }

      # No work continues after a response, so a CPU between requests would be a waste.
      resources {
        limits            = { cpu = "1", memory = "${each.value.scale.memory_mb}Mi" }
        cpu_idle          = true
        startup_cpu_boost = true
      }

      # The port is open once the configuration was read and the function listens. An event
      # service only answers events; the API also has a health check.
      startup_probe {
        period_seconds    = 1
        timeout_seconds   = 1
        failure_threshold = 30

        dynamic "tcp_socket" {
          for_each = each.key == "api" ? [] : [local.port]
          content { port = tcp_socket.value }
        }
        dynamic "http_get" {
          for_each = each.key == "api" ? [local.port] : []
          content {
            path = "/health"
            port = http_get.value
          }
        }
      }

      dynamic "env" {
        for_each = { for name, value in local.environments[each.key] : name => value if value != "" }
        content {
          name  = env.key
          value = env.value
        }
      }
      # Read at the start of each instance: a new version of the key needs no apply.
      dynamic "env" {
        for_each = { for name, secret in local.secrets : name => secret.id if contains(secret.services, each.key) }
        content {
          name = env.key
          value_source {
            secret_key_ref {
              secret  = env.value
              version = "latest"
            }
          }
        }
      }
    }
  }

  # gcloud sets its name here. Removing it would be a change at each apply.
  lifecycle {
    ignore_changes = [client, client_version]
  }

  # A revision that may not read its secrets or use its encryption key does not start, and
  # one whose queries lack an index answers with errors.
  depends_on = [
    google_project_service.apis,
    google_firestore_index.indexes,
    google_firestore_field.indexed,
    google_secret_manager_secret_iam_member.services,
    google_secret_manager_secret_iam_member.openweather_key,
    google_secret_manager_secret_iam_member.brave_key,
    google_kms_crypto_key_iam_member.agents,
  ]
}

# Without the override nobody is admitted: the members may only pass IAP, which is off.
check "owners" {
  assert {
    condition     = local.access == "private" || length(local.owners) > 0
    error_message = "Nobody may forget results or remove records: name owners, or deployer."
  }
}

check "iap" {
  assert {
    condition     = !local.iap || fileexists("${path.module}/iap_override.tf")
    error_message = "iap_members need IAP: cp terraform/iap/iap_override.tf terraform/, or use scripts/deploy."
  }
}
