# The queues: what is delivered, how often, to whom, and what becomes of the rest.

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

override_resource {
  target = google_cloud_run_v2_service.services["upload"]
  values = { uri = "https://upload.run.app" }
}

override_resource {
  target = google_cloud_run_v2_service.services["task"]
  values = { uri = "https://task.run.app" }
}

override_resource {
  target = google_cloud_run_v2_service.services["api"]
  values = { uri = "https://api.run.app" }
}

override_resource {
  target = google_pubsub_topic.queues["uploads"]
  values = { id = "projects/a-project/topics/whatis-uploads" }
}

override_resource {
  target = google_pubsub_topic.dead_letters["uploads"]
  values = { id = "projects/a-project/topics/whatis-uploads-dead-letter" }
}

override_resource {
  target = google_pubsub_topic.queues["tasks"]
  values = { id = "projects/a-project/topics/whatis-tasks" }
}

override_resource {
  target = google_pubsub_topic.dead_letters["tasks"]
  values = { id = "projects/a-project/topics/whatis-tasks-dead-letter" }
}

override_resource {
  target = google_pubsub_topic.queues["long-tasks"]
  values = { id = "projects/a-project/topics/whatis-long-tasks" }
}

override_resource {
  target = google_pubsub_topic.dead_letters["long-tasks"]
  values = { id = "projects/a-project/topics/whatis-long-tasks-dead-letter" }
}

run "queues" {
  command = apply

  assert {
    condition     = keys(google_pubsub_subscription.queues) == ["long-tasks", "tasks", "uploads"]
    error_message = "there is one queue of uploads, one of tasks and one of long ones"
  }
  assert {
    condition     = alltrue([for name, s in google_pubsub_subscription.queues : s.topic == "projects/a-project/topics/whatis-${name}"])
    error_message = "a subscription is of another topic"
  }
  assert {
    condition     = alltrue([for s in google_pubsub_subscription.queues : s.ack_deadline_seconds == 600])
    error_message = "a delivery would come again while the service (570 s) is at work"
  }
  assert {
    condition     = alltrue([for s in google_pubsub_subscription.queues : s.retry_policy[0].minimum_backoff == "10s" && s.retry_policy[0].maximum_backoff == "600s"])
    error_message = "deliveries are retried after 10 to 600 s"
  }
  # internal/analyze/intake gives a photo up after a day in which a model was down: Pub/Sub
  # must still have it then.
  assert {
    condition     = alltrue([for s in google_pubsub_subscription.queues : s.message_retention_duration == "604800s"])
    error_message = "a queue forgets its messages before their photos are given up"
  }
  assert {
    condition     = alltrue([for s in concat(values(google_pubsub_subscription.queues), values(google_pubsub_subscription.dead_letters), [google_pubsub_subscription.failures]) : s.filter == null])
    error_message = "a filter drops messages unseen"
  }
  # Ordered, one photo that fails would hold up all behind it; the handlers are
  # idempotent, and push cannot deliver exactly once.
  assert {
    condition     = alltrue([for s in concat(values(google_pubsub_subscription.queues), values(google_pubsub_subscription.dead_letters), [google_pubsub_subscription.failures]) : s.enable_message_ordering != true && s.enable_exactly_once_delivery != true])
    error_message = "a subscription delivers in order, or exactly once, which the services do not need and push cannot"
  }
  assert {
    condition     = alltrue([for s in concat(values(google_pubsub_subscription.queues), values(google_pubsub_subscription.dead_letters)) : length(s.push_config[0].no_wrapper) == 0 && length(s.message_transforms) == 0])
    error_message = "what is pushed is not what the functions framework reads"
  }
  assert {
    condition     = alltrue([for t in concat(values(google_pubsub_topic.queues), values(google_pubsub_topic.dead_letters), [google_pubsub_topic.results, google_pubsub_topic.failures]) : t.kms_key_name == null && length(t.message_storage_policy) == 0])
    error_message = "a topic is encrypted or bounded unasked"
  }
}

run "pushes_carry_a_token_for_their_service" {
  command = apply

  assert {
    condition = { for name, s in google_pubsub_subscription.queues : name => s.push_config[0].push_endpoint } == {
      uploads    = "https://upload.run.app/projects/a-project/topics/whatis-uploads"
      tasks      = "https://task.run.app/projects/a-project/topics/whatis-tasks"
      long-tasks = "https://task.run.app/projects/a-project/topics/whatis-long-tasks"
    }
    error_message = "uploads go to Upload and tasks to Task, by a path that ends in the topic"
  }
  assert {
    condition     = alltrue([for s in concat(values(google_pubsub_subscription.queues), values(google_pubsub_subscription.dead_letters)) : s.push_config[0].oidc_token[0].service_account_email == "push@a-project"])
    error_message = "a push is not signed by the push account"
  }
  assert {
    condition     = alltrue([for s in concat(values(google_pubsub_subscription.queues), values(google_pubsub_subscription.dead_letters)) : startswith(s.push_config[0].push_endpoint, "${s.push_config[0].oidc_token[0].audience}/projects/")])
    error_message = "a token is for another service than the one it is sent to"
  }
}

run "dead_letters" {
  command = apply

  assert {
    condition     = alltrue([for name, s in google_pubsub_subscription.queues : s.dead_letter_policy[0].dead_letter_topic == "projects/a-project/topics/whatis-${name}-dead-letter" && s.dead_letter_policy[0].max_delivery_attempts == 100])
    error_message = "a queue has no dead letters after 100 deliveries"
  }
  assert {
    condition = { for name, s in google_pubsub_subscription.dead_letters : name => s.push_config[0].push_endpoint } == {
      uploads    = "https://upload.run.app/projects/a-project/topics/whatis-uploads-dead-letter"
      tasks      = "https://task.run.app/projects/a-project/topics/whatis-tasks-dead-letter"
      long-tasks = "https://task.run.app/projects/a-project/topics/whatis-long-tasks-dead-letter"
    }
    error_message = "dead letters do not reach the service that goes on with what they are about, by a path that tells them apart"
  }
  assert {
    condition     = alltrue([for name, s in google_pubsub_subscription.dead_letters : s.topic == "projects/a-project/topics/whatis-${name}-dead-letter" && s.ack_deadline_seconds == 600 && s.retry_policy[0].minimum_backoff == "10s" && s.retry_policy[0].maximum_backoff == "600s"])
    error_message = "dead letters are not delivered as patiently as the rest"
  }
  assert {
    condition     = alltrue([for t in google_pubsub_topic.dead_letters : t.message_retention_duration == "2678400s"])
    error_message = "a dead-letter topic keeps its messages for less than 31 days"
  }
  assert {
    condition     = alltrue([for s in google_pubsub_subscription.dead_letters : s.message_retention_duration == "2678400s" && length(s.dead_letter_policy) == 0])
    error_message = "a subscription of dead letters keeps them for less than 31 days, or gives them up"
  }
}

run "failures" {
  command = apply

  assert {
    condition     = google_pubsub_subscription.failures.topic == google_pubsub_topic.failures.id && length(google_pubsub_subscription.failures.push_config) == 0 && google_pubsub_topic.failures.name == "whatis-failures"
    error_message = "whatisit replay finds nothing of what was given up"
  }
  assert {
    condition     = google_pubsub_subscription.failures.message_retention_duration == "2678400s" && google_pubsub_topic.failures.message_retention_duration == "2678400s"
    error_message = "what was given up is kept for less than 31 days"
  }
  # whatisit replay acknowledges each after it was sent, which takes seconds.
  assert {
    condition     = google_pubsub_subscription.failures.ack_deadline_seconds == 60 && length(google_pubsub_subscription.failures.dead_letter_policy) == 0
    error_message = "a photo comes back while whatisit replay has it, or leaves by another way"
  }
}

run "subscriptions_never_expire" {
  command = plan

  assert {
    condition     = alltrue([for s in concat(values(google_pubsub_subscription.queues), values(google_pubsub_subscription.dead_letters), [google_pubsub_subscription.failures]) : s.expiration_policy[0].ttl == ""])
    error_message = "a subscription would expire after 31 days without traffic"
  }
  # Whoever adds a subscription has to add it above.
  assert {
    condition     = length(regexall("resource \"google_pubsub_subscription\"", join("\n", [for f in fileset(path.module, "*.tf") : file("${path.module}/${f}")]))) == 5
    error_message = "there is a subscription that neither this test nor results.tftest.hcl knows"
  }
}
