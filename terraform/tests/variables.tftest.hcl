# What is refused, and that names fit at their longest.

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

run "refused" {
  command = plan
  variables {
    image                  = "europe-west1-docker.pkg.dev/a-project/whatis/cmd:latest"
    project                = "123456789012"
    region                 = "europe-west1-b"
    name_prefix            = "nineteen-characters"
    country                = "kr"
    language_tag           = "pt_BR"
    policy                 = "lenient"
    second_look            = "sometimes"
    shop                   = " "
    upload_days            = 1
    result_days            = -1
    record_days            = 7
    result_cache_days      = -1
    session_days           = 0
    firestore_location     = "europe"
    vertex_location        = "Europe"
    embedding_location     = "Europe"
    speech_location        = "Europe"
    image_model            = "emulated-image"
    judge_model            = "emulated-judge"
    image_thinking         = "off"
    judge_thinking         = "off"
    search_thinking        = "off"
    image_media_resolution = "off"
    judge_media_resolution = "off"
    log_level              = "off"
    embedding_model        = "gemini-embedding-3"
    model_fallbacks        = { "gemini-3.6-flash" = "emulated-judge" }
    max_usd_per_day        = -1
    calls_per_minute       = 1.5
    scale                  = { task = { min_instances = 3 } }
    api_invokers           = ["user:jo@example.com", "allAuthenticatedUsers"]
    alert_emails           = ["jo"]
    billing_account        = "My Billing Account"
    monthly_budget         = 0
    search_with_schema     = true
    thinking_model         = "emulated-thinking"
    structured_model       = "emulated-structured"
    agents                 = ["weather"]
    discovery              = { max_calls = 0, only_domains = ["https://example.org/"], portals = "portals.json", start_urls = ["example.org"] }
  }
  expect_failures = [
    var.agents,
    var.discovery,
    var.image,
    var.project,
    var.region,
    var.name_prefix,
    var.country,
    var.language_tag,
    var.policy,
    var.second_look,
    var.shop,
    var.upload_days,
    var.result_days,
    var.record_days,
    var.result_cache_days,
    var.session_days,
    var.firestore_location,
    var.vertex_location,
    var.embedding_location,
    var.speech_location,
    var.image_model,
    var.judge_model,
    var.image_thinking,
    var.judge_thinking,
    var.search_thinking,
    var.image_media_resolution,
    var.judge_media_resolution,
    var.log_level,
    var.embedding_model,
    var.model_fallbacks,
    var.max_usd_per_day,
    var.calls_per_minute,
    var.scale,
    var.api_invokers,
    var.alert_emails,
    var.billing_account,
    var.monthly_budget,
    var.search_with_schema,
    var.thinking_model,
    var.structured_model,
  ]
}

run "refused_as_well" {
  command = plan
  variables {
    image        = "europe-west1-docker.pkg.dev/a-project/whatis/cmd@sha256:0123"
    name_prefix  = "wat"
    language_tag = "ko-x-ignore-the-photo"
    scale        = { api = { memory_mb = 256, concurrency = 1 } }
    iap_members  = ["allUsers"]
    kms_key      = "projects/p/locations/us/keyRings/r/cryptoKeys/k"
    alert_emails = [for n in range(6) : "jo${n}@example.com"]
  }
  expect_failures = [
    var.image,
    var.name_prefix,
    var.language_tag,
    var.scale,
    var.iap_members,
    var.kms_key,
    var.alert_emails,
  ]
}

# Roles of what is no e-mail address.
run "refused_roles" {
  command = plan
  variables {
    public_api      = true
    max_usd_per_day = 5
    deployer        = "user:jo@example.com"
    owners          = ["group:all@example.com"]
    reviewers       = ["kim"]
    readers         = ["lee,ana@example.com"]
    token_audiences = ["a,b"]
  }
  expect_failures = [
    var.deployer,
    var.owners,
    var.reviewers,
    var.readers,
    var.token_audiences,
  ]
}

# Roles where callers have none.
run "refused_without_roles" {
  command = plan
  variables {
    owners    = ["jo@example.com"]
    reviewers = ["kim@example.com"]
    readers   = ["lee@example.com"]
  }
  expect_failures = [
    var.owners,
    var.reviewers,
    var.readers,
  ]
}

run "refused_too" {
  command = plan
  variables {
    name_prefix               = "googly"
    gemini_secret             = "projects/a-project/secrets/key"
    model_requests_per_minute = 600
    public_api                = true
    max_usd_per_day           = 5
    iap_members               = ["user:jo@example.com"]
    kms_key                   = "my-key"
  }
  expect_failures = [
    var.name_prefix,
    var.gemini_secret,
    var.model_requests_per_minute,
    var.iap_members,
    var.kms_key,
  ]
}

# More photos at once than find room in memory, and a way around IAP.
run "refused_for_others_sake" {
  command = plan
  variables {
    scale        = { upload = { concurrency = 13, max_instances = 1 } }
    api_invokers = ["user:jo@example.com"]
    iap_members  = ["user:jo@example.com"]
  }
  expect_failures = [
    var.scale,
    var.iap_members,
  ]
}

# Whoever has the URL spends the money of whoever deploys.
run "public_without_a_limit" {
  command = plan
  variables {
    public_api = true
  }
  expect_failures = [var.public_api]
}

run "names_fit" {
  command = plan
  variables {
    project     = "a-project-with-thirty-letters0"
    name_prefix = "eighteen-character"
  }

  assert {
    condition     = alltrue([for a in concat(values(google_service_account.services), [google_service_account.push]) : length(a.account_id) >= 6 && length(a.account_id) <= 30])
    error_message = "a service account's ID has 6 to 30 characters"
  }
  assert {
    condition     = alltrue([for b in [google_storage_bucket.uploads, google_storage_bucket.results] : length(b.name) >= 3 && length(b.name) <= 63])
    error_message = "a bucket's name has 3 to 63 characters"
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : length(s.name) <= 49])
    error_message = "a service's name has 49 characters at most"
  }
  assert {
    condition     = length(google_firestore_database.database.name) >= 4 && length(google_firestore_database.database.name) <= 63 && length(google_artifact_registry_repository.images.repository_id) <= 63
    error_message = "a database's ID has 4 to 63 characters, a repository's 63 at most"
  }
}

run "names_fit_at_their_shortest" {
  command = plan
  variables {
    project     = "six666"
    name_prefix = "four"
  }

  assert {
    condition     = alltrue([for a in concat(values(google_service_account.services), [google_service_account.push]) : length(a.account_id) >= 6]) && length(google_firestore_database.database.name) >= 4
    error_message = "a service account's ID has 6 characters at least, a database's 4"
  }
}

# Two deployments of one project share nothing.
run "everything_bears_the_prefix" {
  command = plan
  variables {
    name_prefix = "other"
  }

  assert {
    condition = alltrue([for name in concat(
      [for s in google_cloud_run_v2_service.services : s.name],
      [for a in google_service_account.services : a.account_id], [google_service_account.push.account_id],
      [for t in google_pubsub_topic.queues : t.name], [for t in google_pubsub_topic.dead_letters : t.name], [google_pubsub_topic.results.name, google_pubsub_topic.failures.name],
      [for s in google_pubsub_subscription.queues : s.name], [for s in google_pubsub_subscription.dead_letters : s.name], [google_pubsub_subscription.failures.name],
      [google_firestore_database.database.name, google_artifact_registry_repository.images.repository_id],
      [google_logging_metric.results.name, google_logging_metric.seconds.name, google_logging_metric.cost.name, google_logging_metric.model_errors.name],
      [trimprefix(google_storage_bucket.uploads.name, "a-project-"), trimprefix(google_storage_bucket.results.name, "a-project-")],
    ) : startswith(name, "other")])
    error_message = "a name is taken as soon as there is a second deployment"
  }
}

run "everything_is_described" {
  command = plan

  assert {
    condition     = length(regexall("(?m)^(variable|output) \"", join("\n", [for f in fileset(path.module, "*.tf") : file("${path.module}/${f}")]))) == length(regexall("(?m)^  description = \".{12,}\"$", join("\n", [for f in ["variables.tf", "variables_service.tf", "outputs.tf"] : file("${path.module}/${f}")])))
    error_message = "a variable or an output has no description"
  }
  # Of a bool there is nothing to validate but that it is one.
  assert {
    condition     = alltrue([for v in flatten([for f in ["variables.tf", "variables_service.tf"] : slice(split("\nvariable ", file("${path.module}/${f}")), 1, length(split("\nvariable ", file("${path.module}/${f}"))))]) : strcontains(v, "validation {") || can(regex("type +=[ ]bool", v))])
    error_message = "a variable is not validated"
  }
  assert {
    condition     = strcontains(file("${path.module}/versions.tf"), "version = \"7.45.0\"") && strcontains(file("${path.module}/versions.tf"), "backend \"gcs\" {}")
    error_message = "the provider is not pinned, or the state lies where one person has it alone"
  }
  assert {
    condition     = !can(regex("\n  default", regex("(?s)variable \"learn_from_search\" .*?\n\\}", file("${path.module}/variables.tf"))))
    error_message = "learn_from_search has a default: whoever deploys must decide"
  }
}

# Its validation reads other variables, so that these have to be right.
run "an_unknown_tier_is_refused" {
  command = plan
  variables {
    event_tier = "cheap"
  }
  expect_failures = [var.event_tier]
}

# Flex is of Vertex AI's global endpoint, and of the Gemini API.
run "flex_in_a_region_is_refused" {
  command = plan
  variables {
    event_tier      = "flex"
    vertex_location = "europe-west1"
  }
  expect_failures = [var.event_tier]
}

# What nobody has asked for is neither opened, nor deleted, nor sent, nor left unlimited where it
# was limited; and what somebody must decide has no default.
run "defaults" {
  command = plan

  assert {
    condition     = alltrue([for name in ["project", "region", "image", "learn_from_search", "vertex_location"] : !can(regex("variable \"${name}\" \\{\n(?:(?:  [^\n]*)?\n)*?  default", "${file("${path.module}/variables.tf")}${file("${path.module}/variables_service.tf")}"))]) && var.project == "a-project"
    error_message = "somebody must decide it, and it has a default"
  }
  assert {
    condition     = [var.public_api, var.allow_data_loss, var.domain_restricted_sharing] == [false, false, false] && sum([for names in [var.api_invokers, var.iap_members, var.owners, var.reviewers, var.readers, var.token_audiences, var.picture_buckets, var.data_access_logs, var.alert_emails] : length(names)]) == 0 && var.deployer == "" && var.api_ingress == null && var.trusted_proxies == null && var.feed == null
    error_message = "the API is opened, or rights are given, by a default"
  }
  assert {
    condition     = [var.upload_days, var.result_days, var.record_days, var.result_cache_days, var.session_days, var.backup_days] == [0, 0, 400, 30, 7, 7]
    error_message = "by default something is kept for another time than docs/retention.md says"
  }
  assert {
    condition     = join("", [var.gemini_secret, var.openweather_secret, var.brave_secret, var.kms_key, var.firestore_location, var.embedding_location, var.results_dataset, var.results_webhook, var.balancer_domain, var.billing_account, var.gtin_directory, var.gtin_directory_contact, var.search_shop, var.search_vocabulary, var.search_model, var.shop_facts, var.image_media_resolution, var.judge_media_resolution]) == ""
    error_message = "by default a key, an address or a place is named that is nobody's"
  }
  assert {
    condition     = [var.max_usd_per_day, var.monthly_budget, var.model_requests_per_minute, var.openweather_calls_per_minute, var.balancer_requests_per_minute] == [0, 100, 1500, 60, 600] && var.calls_per_minute == null && [var.trace, var.web_search, var.keep_thumbnails, var.forecast_check, var.search_with_schema] == [true, true, true, true, false]
    error_message = "a default limit is another than docs/operations.md says, or something is off"
  }
  assert {
    condition     = toset(var.agents) == toset(["search", "forecast", "discover"]) && var.name_prefix == "whatis"
    error_message = "an agent is left out, or everything is named anew, by default"
  }
  assert {
    condition     = { for name, s in var.scale : name => "${s.concurrency} ${s.min_instances} ${s.max_instances} ${s.memory_mb}" } == { upload = "8 0 2 512", task = "8 0 2 512", api = "20 0 2 1024" }
    error_message = "by default instances cost while nobody asks, or are too many for the models or too small for their photos"
  }
}
