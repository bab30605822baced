# Who may do what, whole: what is not here nobody may.

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

override_resource {
  target = google_service_account.services["upload"]
  values = {
    email  = "upload@a-project"
    member = "serviceAccount:upload"
  }
}

override_resource {
  target = google_service_account.services["task"]
  values = {
    email  = "task@a-project"
    member = "serviceAccount:task"
  }
}

override_resource {
  target = google_service_account.services["api"]
  values = {
    email  = "api@a-project"
    member = "serviceAccount:api"
  }
}

override_resource {
  target = google_service_account.push
  values = {
    email  = "push@a-project"
    member = "serviceAccount:push"
    name   = "projects/a-project/serviceAccounts/push"
  }
}

run "pictures_of_products_are_read" {
  command = plan

  variables {
    picture_buckets = ["pictures"]
  }

  assert {
    condition     = toset([for m in google_storage_bucket_iam_member.pictures : "${m.role} ${m.bucket}"]) == toset(["roles/storage.objectViewer pictures"]) && length(google_storage_bucket_iam_member.pictures) == 2
    error_message = "API and Task read pictures, and nothing more"
  }
}

run "rights_on_buckets_and_topics" {
  command = apply

  assert {
    condition = toset([for m in google_storage_bucket_iam_member.services : "${m.member} ${m.role} ${m.bucket}"]) == toset([
      "serviceAccount:upload roles/storage.objectViewer a-project-whatis-uploads",
      "serviceAccount:upload roles/storage.objectUser a-project-whatis-results",
      "serviceAccount:task roles/storage.objectViewer a-project-whatis-uploads",
      "serviceAccount:task roles/storage.objectUser a-project-whatis-results",
      "serviceAccount:api roles/storage.objectViewer a-project-whatis-uploads",
      "serviceAccount:api roles/storage.objectUser a-project-whatis-results",
      "serviceAccount:task roles/storage.objectUser a-project-whatis-indexes",
      "serviceAccount:api roles/storage.objectViewer a-project-whatis-indexes",
    ])
    error_message = "services read photos, and read and write results; Task writes indexes, and API reads them"
  }
  # Forgetting a photo deletes it. Nothing but Cloud Storage's callers writes one.
  assert {
    condition     = "${google_storage_bucket_iam_member.forget.member} ${google_storage_bucket_iam_member.forget.bucket}" == "serviceAccount:api a-project-whatis-uploads" && google_storage_bucket_iam_member.forget.role == google_project_iam_custom_role.forget.name && google_project_iam_custom_role.forget.permissions == toset(["storage.objects.delete"]) && google_project_iam_custom_role.forget.role_id == "whatis_forget"
    error_message = "the API may not delete photos, or may write them"
  }
  assert {
    condition = toset([for m in google_pubsub_topic_iam_member.services : "${m.member} ${m.role} ${m.topic}"]) == toset([
      "serviceAccount:upload roles/pubsub.publisher whatis-results",
      "serviceAccount:upload roles/pubsub.publisher whatis-failures",
      "serviceAccount:task roles/pubsub.publisher whatis-results",
      "serviceAccount:task roles/pubsub.publisher whatis-failures",
      "serviceAccount:task roles/pubsub.publisher whatis-tasks",
      "serviceAccount:task roles/pubsub.publisher whatis-long-tasks",
      "serviceAccount:api roles/pubsub.publisher whatis-results",
      "serviceAccount:api roles/pubsub.publisher whatis-long-tasks",
    ])
    error_message = "everybody tells of results, Upload and Task of failures; API and Task make tasks, Upload does not"
  }
  assert {
    condition     = "${google_pubsub_topic_iam_member.storage.member} ${google_pubsub_topic_iam_member.storage.role} ${google_pubsub_topic_iam_member.storage.topic}" == "serviceAccount:service-123456789012@gs-project-accounts.iam.gserviceaccount.com roles/pubsub.publisher whatis-uploads"
    error_message = "the bucket may not notify the topic"
  }
}

# Without these Pub/Sub leaves dead letters where they are, and says nothing.
run "rights_of_pubsub" {
  command = apply

  assert {
    condition = toset([for m in google_pubsub_topic_iam_member.dead_letters : "${m.member} ${m.role} ${m.topic}"]) == toset([
      "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com roles/pubsub.publisher whatis-uploads-dead-letter",
      "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com roles/pubsub.publisher whatis-tasks-dead-letter",
      "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com roles/pubsub.publisher whatis-long-tasks-dead-letter",
    ])
    error_message = "Pub/Sub may not publish dead letters"
  }
  assert {
    condition = toset([for m in google_pubsub_subscription_iam_member.dead_letters : "${m.member} ${m.role} ${m.subscription}"]) == toset([
      "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com roles/pubsub.subscriber whatis-uploads",
      "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com roles/pubsub.subscriber whatis-tasks",
      "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com roles/pubsub.subscriber whatis-long-tasks",
    ])
    error_message = "Pub/Sub may not take dead letters out of a subscription"
  }
  assert {
    condition     = "${google_service_account_iam_member.push.member} ${google_service_account_iam_member.push.role} ${google_service_account_iam_member.push.service_account_id}" == "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com roles/iam.serviceAccountTokenCreator projects/a-project/serviceAccounts/push"
    error_message = "Pub/Sub may not sign its pushes"
  }
}

run "rights_on_the_project" {
  command = apply

  assert {
    condition     = toset([for m in google_project_iam_member.firestore : "${m.member} ${m.role}"]) == toset(["serviceAccount:upload roles/datastore.user", "serviceAccount:task roles/datastore.user", "serviceAccount:api roles/datastore.user"])
    error_message = "a service may not use Firestore"
  }
  assert {
    condition     = alltrue([for m in google_project_iam_member.firestore : m.condition[0].expression == "resource.name == \"projects/a-project/databases/whatis\""])
    error_message = "a service may use the project's other databases"
  }
  assert {
    condition     = toset([for m in google_project_iam_member.vertex : "${m.member} ${m.role}"]) == toset(["serviceAccount:upload roles/aiplatform.user", "serviceAccount:task roles/aiplatform.user", "serviceAccount:api roles/aiplatform.user"])
    error_message = "a service may not ask Vertex AI"
  }
  assert {
    condition     = toset([for m in google_project_iam_member.traces : "${m.member} ${m.role}"]) == toset(["serviceAccount:upload roles/telemetry.tracesWriter", "serviceAccount:task roles/telemetry.tracesWriter", "serviceAccount:api roles/telemetry.tracesWriter"])
    error_message = "a service may not write its traces"
  }
  assert {
    condition     = length(google_secret_manager_secret_iam_member.services) == 0 && length(google_secret_manager_secret_iam_member.openweather_key) == 0
    error_message = "Vertex AI needs no secret"
  }
}

run "rights_with_keys_of_others" {
  command = apply
  variables {
    openweather_secret = "weather-key"
    brave_secret       = "brave-key"
  }

  assert {
    condition     = toset([for m in google_secret_manager_secret_iam_member.openweather_key : "${m.member} ${m.role} ${m.secret_id}"]) == toset([for s in ["task", "api"] : "serviceAccount:${s} roles/secretmanager.secretAccessor weather-key"])
    error_message = "API and Task may not read the key of OpenWeather, or others may"
  }
  assert {
    condition     = toset([for m in google_secret_manager_secret_iam_member.brave_key : "${m.member} ${m.role} ${m.secret_id}"]) == toset(["serviceAccount:task roles/secretmanager.secretAccessor brave-key"])
    error_message = "Task may not read the key of Brave, or others may"
  }
}

run "no_traces" {
  command = plan
  variables {
    trace = false
  }

  assert {
    condition     = length(google_project_iam_member.traces) == 0 && !contains(keys(google_project_service.apis), "telemetry.googleapis.com")
    error_message = "rights and APIs for traces that nobody writes"
  }
}

run "rights_with_a_gemini_key" {
  command = apply
  variables {
    gemini_secret = "gemini-key"
  }

  assert {
    condition     = toset([for m in google_secret_manager_secret_iam_member.services : "${m.member} ${m.role} ${m.secret_id}"]) == toset([for s in ["upload", "task", "api"] : "serviceAccount:${s} roles/secretmanager.secretAccessor gemini-key"])
    error_message = "a service may not read the key, or another secret"
  }
  assert {
    condition     = length(google_project_iam_member.vertex) == 0
    error_message = "with a key nobody needs Vertex AI"
  }
}

run "nobody_but_pubsub_invokes" {
  command = apply

  assert {
    condition     = toset([for m in google_cloud_run_v2_service_iam_member.push : "${m.member} ${m.role} ${m.name}"]) == toset(["serviceAccount:push roles/run.invoker whatis-upload", "serviceAccount:push roles/run.invoker whatis-task"])
    error_message = "Pub/Sub may invoke Upload and Task, and nothing else"
  }
  assert {
    condition     = length(google_cloud_run_v2_service_iam_member.api) == 0 && length(google_cloud_run_v2_service_iam_member.iap) == 0
    error_message = "somebody may call the API unasked"
  }
  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : s.invoker_iam_disabled != true])
    error_message = "a service does not ask who invokes it"
  }
}

run "invokers_are_those_named" {
  command = apply
  variables {
    api_invokers = ["user:jo@example.com", "group:shop@example.com"]
  }

  assert {
    condition     = toset([for m in google_cloud_run_v2_service_iam_member.api : "${m.member} ${m.role} ${m.name}"]) == toset(["user:jo@example.com roles/run.invoker whatis-api", "group:shop@example.com roles/run.invoker whatis-api"])
    error_message = "api_invokers may not call the API, or others may"
  }
}

run "public_where_sharing_is_restricted" {
  command = plan
  variables {
    public_api                = true
    max_usd_per_day           = 5
    deployer                  = "jo@example.com"
    domain_restricted_sharing = true
  }

  assert {
    condition     = { for name, s in google_cloud_run_v2_service.services : name => s.invoker_iam_disabled } == { api = true, task = false, upload = false } && length(google_cloud_run_v2_service_iam_member.api) == 0
    error_message = "a public API is granted to allUsers, or an event service is open"
  }
}

# The variable alone opens nothing.
run "private_where_sharing_is_restricted" {
  command = plan
  variables {
    domain_restricted_sharing = true
    api_invokers              = ["user:jo@example.com"]
  }

  assert {
    condition     = alltrue([for s in google_cloud_run_v2_service.services : !s.invoker_iam_disabled]) && length(google_cloud_run_v2_service_iam_member.api) == 1
    error_message = "a private API is open"
  }
}

run "public_only_if_it_says_so" {
  command = apply
  variables {
    public_api      = true
    max_usd_per_day = 5
    deployer        = "jo@example.com"
    reviewers       = ["kim@example.com"]
    readers         = ["lee@example.com", "ana@example.com"]
    token_audiences = ["https://whatis.example.com"]
  }

  assert {
    condition = { for e in google_cloud_run_v2_service.services["api"].template[0].containers[0].env : e.name => e.value if contains(["ACCESS", "CALLER_AUDIENCES", "OWNERS", "REVIEWERS", "READERS"], e.name) } == {
      ACCESS           = "public"
      CALLER_AUDIENCES = "https://whatis-api-123456789012.europe-west1.run.app,https://whatis.example.com"
      OWNERS           = "jo@example.com"
      REVIEWERS        = "kim@example.com"
      READERS          = "ana@example.com,lee@example.com"
    }
    error_message = "a public API does not know whose tokens to accept, or who has which role"
  }

  assert {
    condition     = [for m in google_cloud_run_v2_service_iam_member.api : "${m.member} ${m.role} ${m.name}"] == ["allUsers roles/run.invoker whatis-api"]
    error_message = "public_api opens the API, and the API alone"
  }
  assert {
    condition     = [for e in google_cloud_run_v2_service.services["api"].template[0].containers[0].env : e.value if e.name == "CALLS_PER_MINUTE"] == ["300"]
    error_message = "public_api lets one caller make as many model calls as all others"
  }
  assert {
    condition     = !contains([for m in google_cloud_run_v2_service_iam_member.push : m.member], "allUsers")
    error_message = "public_api opens an event service"
  }
}

# The stand-in of the provider does not know iap_enabled, so that the override is not
# beside the others here, and is warned of.
run "iap" {
  command = plan

  expect_failures = [check.iap]

  variables {
    iap_members = ["user:jo@example.com", "domain:example.com"]
    deployer    = "jo@example.com"
    owners      = ["lee@example.com"]
    reviewers   = ["kim@example.com"]
  }

  assert {
    condition = { for e in google_cloud_run_v2_service.services["api"].template[0].containers[0].env : e.name => e.value if contains(["ACCESS", "CALLER_AUDIENCES", "OWNERS", "REVIEWERS", "READERS"], e.name) } == {
      ACCESS           = "iap"
      CALLER_AUDIENCES = "/projects/123456789012/locations/europe-west1/services/whatis-api"
      OWNERS           = "jo@example.com,lee@example.com"
      REVIEWERS        = "kim@example.com"
    }
    error_message = "the API does not know IAP's assertions, or who has which role"
  }

  assert {
    condition     = toset([for m in google_iap_web_cloud_run_service_iam_member.members : "${m.member} ${m.role} ${m.cloud_run_service_name}"]) == toset(["user:jo@example.com roles/iap.httpsResourceAccessor whatis-api", "domain:example.com roles/iap.httpsResourceAccessor whatis-api"])
    error_message = "iap_members may not pass IAP"
  }
  assert {
    condition     = [for m in google_cloud_run_v2_service_iam_member.iap : "${m.member} ${m.role} ${m.name}"] == ["serviceAccount:service-123456789012@gcp-sa-iap.iam.gserviceaccount.com roles/run.invoker whatis-api"]
    error_message = "IAP may not invoke the API"
  }
  assert {
    condition     = length(google_cloud_run_v2_service_iam_member.api) == 0
    error_message = "there is a way around IAP"
  }
  assert {
    condition     = regexall("iap_enabled = .*", file("${path.module}/iap/iap_override.tf")) == tolist(["iap_enabled = local.iap && each.key == \"api\""])
    error_message = "IAP is not turned on"
  }
  assert {
    condition     = contains(keys(google_project_service.apis), "iap.googleapis.com")
    error_message = "IAP's API is off"
  }
}

# Nobody is an owner: warned of, as nobody else could forget or remove anything.
run "roles_without_an_owner" {
  command = plan

  expect_failures = [check.iap, check.owners]

  variables {
    iap_members = ["domain:example.com"]
  }
}

# On a private service everybody who is let in may do everything; whoever deploys is
# named nowhere.
run "no_roles" {
  command = plan

  variables {
    api_invokers = ["user:jo@example.com"]
    deployer     = "jo@example.com"
  }

  assert {
    condition = { for e in google_cloud_run_v2_service.services["api"].template[0].containers[0].env : e.name => e.value if contains(["ACCESS", "CALLER_AUDIENCES", "OWNERS", "REVIEWERS", "READERS"], e.name) } == {
      ACCESS = "private"
    }
    error_message = "a private service has roles"
  }
}

# The tables above hold what is there. This holds that there is no more of it.
run "no_other_rights" {
  command = plan

  assert {
    condition = toset(flatten(regexall("roles/[A-Za-z.]+", join("\n", [for f in fileset(path.module, "*.tf") : replace(file("${path.module}/${f}"), "/description *= .*/", "")])))) == toset([
      "roles/aiplatform.user",
      "roles/bigquery.dataEditor",
      "roles/cloudkms.cryptoKeyEncrypterDecrypter",
      "roles/datastore.user",
      "roles/iam.serviceAccountTokenCreator",
      "roles/iap.httpsResourceAccessor",
      "roles/pubsub.publisher",
      "roles/pubsub.subscriber",
      "roles/run.invoker",
      "roles/secretmanager.secretAccessor",
      "roles/storage.objectUser",
      "roles/storage.objectViewer",
      "roles/telemetry.tracesWriter",
    ])
    error_message = "a role is granted that is not on the list"
  }
  # Members alone: a binding or a policy would take away what others have.
  assert {
    condition = toset(regexall("resource \"google_[a-z0-9_]*_iam_[a-z_]+\" \"[a-z_]+\"", join("\n", [for f in fileset(path.module, "*.tf") : file("${path.module}/${f}")]))) == toset([
      "resource \"google_bigquery_table_iam_member\" \"results\"",
      "resource \"google_cloud_run_v2_service_iam_member\" \"api\"",
      "resource \"google_cloud_run_v2_service_iam_member\" \"iap\"",
      "resource \"google_cloud_run_v2_service_iam_member\" \"push\"",
      "resource \"google_iap_web_cloud_run_service_iam_member\" \"members\"",
      "resource \"google_kms_crypto_key_iam_member\" \"agents\"",
      "resource \"google_kms_crypto_key_iam_member\" \"bigquery\"",
      "resource \"google_project_iam_audit_config\" \"data_access\"",
      "resource \"google_project_iam_custom_role\" \"forget\"",
      "resource \"google_project_iam_member\" \"firestore\"",
      "resource \"google_project_iam_member\" \"traces\"",
      "resource \"google_project_iam_member\" \"vertex\"",
      "resource \"google_pubsub_subscription_iam_member\" \"dead_letters\"",
      "resource \"google_pubsub_topic_iam_member\" \"dead_letters\"",
      "resource \"google_pubsub_topic_iam_member\" \"services\"",
      "resource \"google_pubsub_topic_iam_member\" \"storage\"",
      "resource \"google_secret_manager_secret_iam_member\" \"brave_key\"",
      "resource \"google_secret_manager_secret_iam_member\" \"openweather_key\"",
      "resource \"google_secret_manager_secret_iam_member\" \"services\"",
      "resource \"google_service_account_iam_member\" \"push\"",
      "resource \"google_service_account_iam_member\" \"webhook\"",
      "resource \"google_storage_bucket_iam_member\" \"forget\"",
      "resource \"google_storage_bucket_iam_member\" \"pictures\"",
      "resource \"google_storage_bucket_iam_member\" \"services\"",
    ])
    error_message = "rights are granted that no test looks at"
  }
  assert {
    condition     = regexall("all(?:Authenticated)?Users", join("\n", [for f in fileset(path.module, "*.tf") : file("${path.module}/${f}")])) == tolist(["allUsers"])
    error_message = "everybody is let in somewhere else than by public_api"
  }
  assert {
    condition     = alltrue([for m in concat(values(google_project_iam_member.firestore), values(google_project_iam_member.traces), values(google_project_iam_member.vertex)) : !startswith(m.role, "roles/storage.") && !startswith(m.role, "roles/pubsub.") && !startswith(m.role, "roles/run.")])
    error_message = "a right on storage, Pub/Sub or Cloud Run is the whole project's"
  }
}

# What must be there first: an API before what it makes, a right before whoever uses
# it, a subscription before what it would forget. A plan does not know.
run "first_things_first" {
  command = plan

  assert {
    condition = { for r in flatten([for f in fileset(path.module, "*.tf") : [
      for m in regexall("resource \"([a-z0-9_]+)\" \"([a-z_]+)\" \\{\n(?:(?:  [^\n]*)?\n)*?  depends_on = \\[([^]]*)\\]", file("${path.module}/${f}")) : { name = "${m[0]}.${m[1]}", first = trimsuffix(trimspace(replace(m[2], "/\\s+/", " ")), ",") }
      ]]) : r.name => r.first } == {
      "google_artifact_registry_repository.images"              = "google_project_service.apis, google_kms_crypto_key_iam_member.agents"
      "google_bigquery_dataset.results"                         = "google_project_service.apis, google_kms_crypto_key_iam_member.bigquery"
      "google_bigquery_table_iam_member.results"                = "google_pubsub_topic.results"
      "google_billing_budget.month"                             = "google_project_service.apis"
      "google_cloud_scheduler_job.feed"                         = "google_project_service.apis"
      "google_compute_global_address.balancer"                  = "google_project_service.apis"
      "google_compute_managed_ssl_certificate.balancer"         = "google_project_service.apis"
      "google_compute_region_network_endpoint_group.balancer"   = "google_project_service.apis"
      "google_compute_security_policy.balancer"                 = "google_project_service.apis"
      "google_cloud_run_v2_service.services"                    = "google_project_service.apis, google_firestore_index.indexes, google_firestore_field.indexed, google_secret_manager_secret_iam_member.services, google_secret_manager_secret_iam_member.openweather_key, google_secret_manager_secret_iam_member.brave_key, google_kms_crypto_key_iam_member.agents"
      "google_firestore_database.database"                      = "google_project_service.apis, google_kms_crypto_key_iam_member.agents"
      "google_iap_web_cloud_run_service_iam_member.members"     = "google_project_service.apis"
      "google_kms_crypto_key_iam_member.agents"                 = "google_project_service.apis"
      "google_logging_metric.cost"                              = "google_project_service.apis"
      "google_logging_metric.model_errors"                      = "google_project_service.apis"
      "google_logging_metric.results"                           = "google_project_service.apis"
      "google_logging_metric.seconds"                           = "google_project_service.apis"
      "google_monitoring_alert_policy.away"                     = "google_project_service.apis"
      "google_monitoring_alert_policy.lines"                    = "google_project_service.apis"
      "google_monitoring_alert_policy.queries"                  = "google_logging_metric.results, google_logging_metric.model_errors, google_logging_metric.counts"
      "google_monitoring_uptime_check_config.api"               = "google_project_service.apis"
      "google_logging_metric.counts"                            = "google_project_service.apis"
      "google_monitoring_dashboard.whatis"                      = "google_project_service.apis"
      "google_monitoring_notification_channel.emails"           = "google_project_service.apis"
      "google_project_iam_custom_role.forget"                   = "google_project_service.apis"
      "google_project_service.apis"                             = "google_project_service.first"
      "google_project_iam_audit_config.data_access"             = "google_project_service.apis"
      "google_pubsub_subscription.bigquery"                     = "google_bigquery_table_iam_member.results"
      "google_pubsub_subscription.webhook"                      = "google_service_account_iam_member.webhook"
      "google_service_account.webhook"                          = "google_project_service.apis"
      "google_service_account_iam_member.webhook"               = "google_pubsub_topic.results"
      "google_pubsub_subscription.dead_letters"                 = "google_cloud_run_v2_service_iam_member.push, google_service_account_iam_member.push"
      "google_pubsub_subscription.queues"                       = "google_cloud_run_v2_service_iam_member.push, google_service_account_iam_member.push"
      "google_pubsub_topic.dead_letters"                        = "google_project_service.apis, google_kms_crypto_key_iam_member.agents"
      "google_pubsub_topic.failures"                            = "google_project_service.apis, google_kms_crypto_key_iam_member.agents"
      "google_pubsub_topic.queues"                              = "google_project_service.apis, google_kms_crypto_key_iam_member.agents"
      "google_pubsub_topic.results"                             = "google_project_service.apis, google_kms_crypto_key_iam_member.agents"
      "google_secret_manager_secret_iam_member.brave_key"       = "google_project_service.apis"
      "google_secret_manager_secret_iam_member.openweather_key" = "google_project_service.apis"
      "google_secret_manager_secret_iam_member.services"        = "google_project_service.apis"
      "google_service_account.push"                             = "google_project_service.apis"
      "google_service_account.services"                         = "google_project_service.apis"
      "google_service_account_iam_member.push"                  = "google_pubsub_topic.queues"
      "google_storage_bucket.indexes"                           = "google_project_service.apis, google_kms_crypto_key_iam_member.agents"
      "google_storage_bucket.results"                           = "google_project_service.apis, google_kms_crypto_key_iam_member.agents"
      "google_storage_bucket.uploads"                           = "google_project_service.apis, google_kms_crypto_key_iam_member.agents"
      "google_storage_notification.uploads"                     = "google_pubsub_topic_iam_member.storage, google_pubsub_subscription.queues"
    }
    error_message = "something is made before what it needs, and a first apply fails or loses an event"
  }
  assert {
    condition     = strcontains(file("${path.module}/apis.tf"), "for_each = toset(local.apis)") && length(regexall("depends_on = \\[google_project_service.first\\]", file("${path.module}/names.tf"))) == 2
    error_message = "Google's own accounts are asked for before the APIs that know them, or anew with each API"
  }
}
